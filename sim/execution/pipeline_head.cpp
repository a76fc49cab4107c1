#include "sim/execution/pipeline_head.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "sim/execution/stage_effects.hpp"
#include "sim/targeting/expression_rules.hpp"

namespace scattergate::sim {
namespace {

/// A stage being moved: a `$match` as its filter, any other unchanged.
struct moving_stage {
  std::optional<filter_node> match;
  field other;

  [[nodiscard]] bool is(std::string_view name) const { return !match && other.name == name; }
};

/// Replaces stages that are short for others (mongo: document_source_sort_by_count.cpp,
/// document_source_count.cpp).
std::vector<moving_stage> read_stage(const field& stage, const filter_terms& terms) {
  const auto* content = stage.content.as<document>();
  if (stage.name == "$match" && content != nullptr) return {{read_filter(*content, terms), {}}};
  if (stage.name == "$sortByCount") {
    return {{{}, {"$group", document{{"_id", stage.content}}}}, {{}, {"$sort", document{}}}};
  }
  if (stage.name == "$count") return {{{}, {"$group", document{{"_id", null{}}}}}};
  return {{{}, stage}};
}

/// Whether an operand is a constant that isn't null, or can't be computed.
bool is_safe_constant(const value& operand, const filter_terms& terms) {
  if (!path_of_field(operand).empty()) return false;
  const auto paths = paths_of_expression(operand);
  if (!paths || !paths->empty()) return false;
  const outcome constant = constant_of(operand, terms);
  if (!constant || constant->is<null>() || constant->is<undefined>()) return false;
  const auto* members = constant->as<array>();
  return members == nullptr || std::ranges::none_of(*members, [](const value& each) {
           return each.is<null>() || each.is<undefined>();
         });
}

/// Whether an `$expr` only compares fields with constants (mongo: match_rules.cpp,
/// ExpressionGroupSwapValidator).
bool is_comparison(const value& expression, const filter_terms& terms) {
  const auto* content = expression.as<document>();
  if (content == nullptr || content->size() != 1) return false;
  const field& call = content->front();
  const array operands =
      call.content.is<array>() ? *call.content.as<array>() : array{call.content};
  if (call.name == "$and" || call.name == "$or" || call.name == "$not") {
    return std::ranges::all_of(operands,
                               [&](const value& each) { return is_comparison(each, terms); });
  }
  constexpr std::array names{"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$cmp", "$in"};
  if (std::ranges::find(names, call.name) == names.end() || operands.size() != 2) return false;
  const bool is_turned = call.name != "$in" && path_of_field(operands[0]).empty();
  return !path_of_field(operands[is_turned ? 1 : 0]).empty() &&
         is_safe_constant(operands[is_turned ? 0 : 1], terms);
}

/// Whether an `$expr` anywhere in the filter does something else with the group's key.
bool computes_with_key(const filter_node& filter, const filter_terms& terms) {
  if (filter.kind == filter_kind::expression) {
    const auto paths = paths_of_expression(filter.operand);
    const bool reads_key = !paths || std::ranges::any_of(*paths, [](const std::string& each) {
      return each == "_id" || each.starts_with("_id.");
    });
    return reads_key && !is_comparison(filter.operand, terms);
  }
  return std::ranges::any_of(
      filter.parts, [&](const filter_node& each) { return computes_with_key(each, terms); });
}

/// Whether 9.0 moves a filter before a group; also what it holds back of `$exists`.
bool may_pass_guarded(const field& stage, const filter_node& filter,
                      const filter_terms& terms) {
  std::set<std::string> keys = key_parts_of_group(stage);
  if (keys.empty()) keys.insert("_id");
  return !has_condition(filter, filter_kind::type, keys) && !computes_with_key(filter, terms) &&
         (keys.size() > 1 || !has_condition(filter, filter_kind::exists, keys));
}

/// A group by a constant creates an `_id` if there was none.
bool may_pass(const field& stage, const filter_node& filter, const filter_terms& terms) {
  if (stage.name != "$group") return true;
  if (terms.rules.guards_group_keys) return may_pass_guarded(stage, filter, terms);
  const auto* content = stage.content.as<document>();
  const value* id = content == nullptr ? nullptr : content->find("_id");
  const auto* fields = id == nullptr ? nullptr : id->as<document>();
  const bool is_one = fields == nullptr || fields->size() == 1;
  return !is_one || !asks_existence(filter, "_id");
}

/// Marks all equalities as written with `$eq`, as in a filter that mongos has written anew.
void write_with_operators(filter_node& filter) {
  filter.by_operator = filter.kind == filter_kind::equal;
  for (filter_node& each : filter.parts) write_with_operators(each);
}

/// The stages as the optimizer processes them.
class moving_pipeline {
 public:
  moving_pipeline(const array& stages, const filter_terms& terms)
      : terms_(terms), rules_(terms.rules) {
    for (const value& each : stages) {
      for (moving_stage& one : read_stage(each.as<document>()->front(), terms)) {
        stages_.push_back(std::move(one));
      }
    }
  }

  [[nodiscard]] filter_node head() {
    while (at_ + 1 < stages_.size()) {
      if (!join_next() && !absorb_limit() && !move_next() && !move_through_project() &&
          !copy_before_union()) {
        ++at_;
      }
    }
    const auto first = std::ranges::find_if_not(
        stages_, [this](const moving_stage& each) { return is_needless(each); });
    if (first == stages_.end() || !first->match) return {};
    return std::move(*first->match);
  }

 private:
  /// Whether it is dropped after all have moved (mongo: DocumentSourceMatch::optimize,
  /// DocumentSourceSkip::optimize, ReplaceRootTransformation::isNoop).
  [[nodiscard]] bool is_needless(const moving_stage& each) const {
    if (each.match) {
      return each.match->parts.empty() && each.match->kind == filter_kind::all_of;
    }
    const value* operand = &each.other.content;
    if (each.is("$skip")) return operand->is_number() && !operand->is_truthy();
    if (!rules_.drops_same_roots) return false;
    if (each.is("$replaceRoot")) {
      const auto* content = operand->as<document>();
      operand = content == nullptr ? nullptr : content->find("newRoot");
    } else if (!each.is("$replaceWith")) {
      return false;
    }
    const auto* path = operand == nullptr ? nullptr : operand->as<std::string>();
    return path != nullptr && (*path == "$$ROOT" || *path == "$$CURRENT");
  }

  void step_back() {
    if (at_ > 0) --at_;
  }
  void remove_next() { stages_.erase(stages_.begin() + static_cast<std::ptrdiff_t>(at_) + 1); }
  void insert(std::size_t where, filter_node filter) {
    stages_.insert(stages_.begin() + static_cast<std::ptrdiff_t>(where),
                   moving_stage{std::move(filter), {}});
  }

  /// Merges two adjacent `$match` stages.
  bool join_next() {
    moving_stage& next = stages_[at_ + 1];
    if (!stages_[at_].match || !next.match) return false;
    filter_node both;
    both.parts.push_back(std::move(*stages_[at_].match));
    both.parts.push_back(std::move(*next.match));
    stages_[at_].match = std::move(both);
    remove_next();
    step_back();
    return true;
  }

  /// A sort absorbs a limit after it, and then counts as a limit.
  bool absorb_limit() {
    if (!stages_[at_].is("$sort") || !stages_[at_ + 1].is("$limit")) return false;
    stages_.erase(stages_.begin() + static_cast<std::ptrdiff_t>(at_));
    return true;
  }

  /// Moves what it can of the `$match` after this stage, and steps back to move it further.
  bool move_next() {
    const moving_stage& stage = stages_[at_];
    const moving_stage& next = stages_[at_ + 1];
    if (stage.match || !next.match) return false;
    if (stage.is("$redact")) return copy_before_redact(*next.match);
    const auto effects = effects_of(stage.other, rules_);
    if (!effects || !may_pass(stage.other, *next.match, terms_)) return false;
    if (!move_before(at_, *effects)) return false;
    step_back();
    return true;
  }

  /// Moves conditions on parts of this `$group`'s key before the `$project` that renames them.
  bool move_through_project() {
    if (!rules_.renames_group_keys || !stages_[at_].is("$group")) return false;
    if (at_ + 2 >= stages_.size() || stages_[at_ + 1].match || !stages_[at_ + 2].match) {
      return false;
    }
    const auto effects = effects_behind_group(stages_[at_ + 1].other,
                                              key_parts_of_group(stages_[at_].other), rules_);
    return effects && move_before(at_ + 1, *effects);
  }

  /// Moves what it can of the `$match` after the stage at `where` before it. False if nothing
  /// can be moved.
  bool move_before(std::size_t where, stage_effects effects) {
    effects.lets_expressions_pass = rules_.moves_expressions;
    effects.lets_array_conditions_pass = rules_.moves_array_conditions;
    const auto next = stages_.begin() + static_cast<std::ptrdiff_t>(where) + 1;
    split_filter halves = split_by(*next->match, effects);
    if (!halves.moved) return false;
    // mongo: DocumentSourceMatch::splitSourceBy
    if (halves.kept || !effects.renames.empty()) {
      write_with_operators(*halves.moved);
      if (halves.kept) write_with_operators(*halves.kept);
    }
    stages_.erase(next);
    if (halves.kept) insert(where + 1, std::move(*halves.kept));
    insert(where, std::move(*halves.moved));
    return true;
  }

  /// Applies the stages after a `$unionWith` to both sides before they are joined (mongo:
  /// DocumentSourceUnionWith::doOptimizeAt, duplicateAcrossUnion).
  bool copy_before_union() {
    constexpr std::array names{"$project", "$addFields",   "$set",
                               "$unset",   "$replaceRoot", "$replaceWith"};
    const moving_stage& next = stages_[at_ + 1];
    const bool passes = next.match || std::ranges::any_of(names, [&](const char* each) {
                          return next.is(each);
                        });
    if (!stages_[at_].is("$unionWith") || !passes) return false;
    std::swap(stages_[at_], stages_[at_ + 1]);
    step_back();
    return true;
  }

  /// Copies conditions that a `$redact` can't make true before it. They don't move further.
  bool copy_before_redact(const filter_node& next) {
    auto safe = safe_from_redact(next, rules_);
    if (!safe) return false;
    insert(at_, std::move(*safe));
    at_ += 2;
    return true;
  }

  std::vector<moving_stage> stages_;
  const filter_terms& terms_;
  targeting_rules rules_;
  std::size_t at_ = 0;
};

}  // namespace

filter_node head_of(const array& stages, const filter_terms& terms) {
  return moving_pipeline{stages, terms}.head();
}

document leading_filter(const array& stages) {
  array parts;
  for (const value& each : stages) {
    const field& stage = each.as<document>()->front();
    if (stage.name != "$match" || !stage.content.is<document>()) break;
    parts.push_back(stage.content);
  }
  if (parts.empty()) return {};
  if (parts.size() == 1) return *parts.front().as<document>();
  return {{"$and", std::move(parts)}};
}

bool is_like_find(const array& stages) {
  return std::all_of(stages.begin(), stages.end(), [](const value& each) {
    const std::string& name = each.as<document>()->front().name;
    return name == "$match" || name == "$sort" || name == "$limit" || name == "$skip" ||
           name == "$project";
  });
}

}  // namespace scattergate::sim
