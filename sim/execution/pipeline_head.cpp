#include "sim/execution/pipeline_head.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/targeting/filter_split.hpp"

namespace scattergate::sim {
namespace {

bool is_flag(const value& content) {
  return content.is_number() || content.is<bool>();
}

std::string joined(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

/// A document of fields rather than an operator.
const document* fields_of(const value& content) {
  const auto* inner = content.as<document>();
  if (inner == nullptr || inner->empty() || inner->front().name.starts_with('$')) {
    return nullptr;
  }
  return inner;
}

/// The field that an expression refers to, of the document or, if named, of a variable; empty
/// if the expression is anything else.
std::string renamed_field(const value& expression, const std::string& variable) {
  std::string source;
  if (variable.empty()) {
    source = path_of_field(expression);
  } else if (const auto* text = expression.as<std::string>()) {
    const std::string start = "$$" + variable + ".";
    if (text->starts_with(start)) source = text->substr(start.size());
  }
  return source.find('.') == source.npos ? source : std::string{};
}

void add_computed(const std::string& path, const value& expression, const std::string& variable,
                  const targeting_rules& rules, stage_effects& out);

/// A `$map` over a field renamed the fields that its documents take from the members (mongo:
/// ExpressionMap::getComputedPaths, which 8.x has removed). False for any other
/// expression.
bool add_mapped(const std::string& path, const value& expression, const std::string& variable,
                const targeting_rules& rules, stage_effects& out) {
  const auto* content = expression.as<document>();
  const bool is_map = content != nullptr && content->size() == 1 &&
                      content->front().name == "$map" &&
                      content->front().content.is<document>();
  if (!is_map || !rules.renames_nested) return false;
  const auto& map = *content->front().content.as<document>();
  const value* input = map.find("input");
  const value* each = map.find("in");
  const value* named = map.find("as");
  if (input == nullptr || each == nullptr) return false;
  const std::string list = renamed_field(*input, variable);
  const auto* name = as<std::string>(named);
  if (list.empty()) return false;
  stage_effects inner;
  add_computed(path, *each, name == nullptr ? "this" : *name, rules, inner);
  if (inner.renames.empty()) return false;
  out.paths.insert(inner.paths.begin(), inner.paths.end());
  for (const auto& [now, before] : inner.renames) out.renames[now] = joined(list, before);
  return true;
}

/// Adds what `path: expression` computes; a reference to another field is a rename.
void add_computed(const std::string& path, const value& expression, const std::string& variable,
                  const targeting_rules& rules, stage_effects& out) {
  if (const document* inner = fields_of(expression)) {
    for (const field& each : *inner) {
      add_computed(joined(path, each.name), each.content, variable, rules, out);
    }
    return;
  }
  if (add_mapped(path, expression, variable, rules, out)) return;
  const std::string source = renamed_field(expression, variable);
  if (source.empty()) {
    if (!out.changes_all_but) out.paths.insert(path);
  } else {
    out.renames[path] = source;
  }
}

/// Moves the renames to the changed paths.
void forget_renames(stage_effects& out) {
  for (const auto& [now, before] : out.renames) {
    if (!out.changes_all_but) out.paths.insert(now);
  }
  out.renames.clear();
}

/// Adds what a $project or $addFields computes at a path; below the top level nothing may be a
/// rename (mongo: projection_node.cpp, reportComputedPaths).
void add_written(const std::string& path, const value& expression, const targeting_rules& rules,
                 stage_effects& out) {
  const bool is_nested = path.find('.') != path.npos || fields_of(expression) != nullptr;
  stage_effects one;
  one.changes_all_but = out.changes_all_but;
  add_computed(path, expression, {}, rules, one);
  if (is_nested && !rules.renames_nested) forget_renames(one);
  out.paths.insert(one.paths.begin(), one.paths.end());
  out.renames.insert(one.renames.begin(), one.renames.end());
}

bool is_exclusion(const document& specification, bool below = false) {
  bool only_id = true;
  for (const field& each : specification) {
    if (each.name == "_id" && !below) continue;
    only_id = false;
    if (const document* inner = fields_of(each.content)) return is_exclusion(*inner, true);
    return is_flag(each.content) && !each.content.is_truthy();
  }
  const value* id = specification.find("_id");
  return only_id && id != nullptr && is_flag(*id) && !id->is_truthy();
}

void add_projected(const document& specification, const std::string& prefix, bool excludes,
                   const targeting_rules& rules, stage_effects& out) {
  for (const field& each : specification) {
    const std::string path = joined(prefix, each.name);
    if (const document* inner = fields_of(each.content)) {
      add_projected(*inner, path, excludes, rules, out);
    } else if (!is_flag(each.content)) {
      add_written(path, each.content, rules, out);
    } else if (each.content.is_truthy() != excludes) {
      out.paths.insert(path);
    }
  }
}

stage_effects of_project(const document& specification, const targeting_rules& rules) {
  stage_effects out;
  const bool excludes = is_exclusion(specification);
  out.changes_all_but = !excludes;
  add_projected(specification, {}, excludes, rules, out);
  if (!excludes && !specification.has("_id")) out.paths.insert("_id");
  return out;
}

/// Adds what `$project` makes of parts of the group's key.
void add_key_parts(const document& specification, const std::set<std::string>& key_parts,
                   stage_effects& out) {
  for (const field& each : specification) {
    std::string source = path_of_field(each.content);
    const bool is_nested = each.name.find('.') != each.name.npos;
    if (!is_nested && key_parts.contains(source)) out.renames[each.name] = std::move(source);
  }
}

stage_effects of_add_fields(const document& specification, const targeting_rules& rules) {
  stage_effects out;
  for (const field& each : specification) add_written(each.name, each.content, rules, out);
  return out;
}

/// A group changes every field; its key is a rename if it is a field.
stage_effects of_group(const document& specification, const targeting_rules& rules) {
  stage_effects out;
  out.changes_all_but = true;
  if (const value* id = specification.find("_id")) add_computed("_id", *id, {}, rules, out);
  return out;
}

std::string without_dollar(const value& path) {
  const auto* text = path.as<std::string>();
  return text != nullptr && text->starts_with('$') ? text->substr(1) : std::string{};
}

stage_effects of_fields(const document& specification,
                        std::initializer_list<const char*> names) {
  stage_effects out;
  for (const char* name : names) {
    const auto* path = specification.find_as<std::string>(name);
    if (path != nullptr) out.paths.insert(path->substr(path->starts_with('$') ? 1 : 0));
  }
  return out;
}

stage_effects of_unset(const value& operand) {
  stage_effects out;
  const array names = operand.is<array>() ? *operand.as<array>() : array{operand};
  for (const value& each : names) {
    if (const auto* name = each.as<std::string>()) out.paths.insert(*name);
  }
  return out;
}

/// How a pipeline stage changes the fields of documents. std::nullopt if mongos never moves a
/// `$match` before a stage of this kind (mongo: StageConstraints::canSwapWithMatch,
/// DocumentSource::getModifiedPaths).
std::optional<stage_effects> effects_of(const field& stage, const targeting_rules& rules) {
  const auto* content = stage.content.as<document>();
  if (stage.name == "$sort") return stage_effects{};
  if (stage.name == "$unset") return of_unset(stage.content);
  if (stage.name == "$unwind" && content == nullptr) {
    return stage_effects{false, {without_dollar(stage.content)}, {}};
  }
  if (content == nullptr) return std::nullopt;
  if (stage.name == "$project") return of_project(*content, rules);
  if (stage.name == "$addFields" || stage.name == "$set") return of_add_fields(*content, rules);
  if (stage.name == "$group") return of_group(*content, rules);
  if (stage.name == "$unwind") return of_fields(*content, {"path", "includeArrayIndex"});
  if (stage.name == "$lookup") return of_fields(*content, {"as"});
  if (stage.name == "$graphLookup") return of_fields(*content, {"as", "depthField"});
  return std::nullopt;
}

/// The paths of the parts of a `$group`'s key: {"_id.a"} for `{$group: {_id: {a: "$x"}}}`.
/// Empty if the key isn't a document with named parts.
std::set<std::string> key_parts_of_group(const field& stage) {
  std::set<std::string> out;
  const auto* content = stage.content.as<document>();
  const value* id = content == nullptr ? nullptr : content->find("_id");
  const document* fields = id == nullptr ? nullptr : fields_of(*id);
  if (fields == nullptr) return out;
  for (const field& each : *fields) out.insert("_id." + each.name);
  return out;
}

/// The effect of a `$project` directly after a `$group`. `key_parts`: the result of
/// key_parts_of_group() for the `$group`. For `{$project: {m: "$_id.a"}}`, the effect includes
/// that `_id.a` gets the new name `m`. A condition on `m` has the same result on `_id.a`,
/// because the key is a document and not an array (mongo:
/// DocumentSourceGroup::pushDotRenamedMatch). std::nullopt if the stage isn't a `$project`, or
/// is one that excludes fields.
std::optional<stage_effects> effects_behind_group(const field& stage,
                                                  const std::set<std::string>& key_parts,
                                                  const targeting_rules& rules) {
  const auto* content = stage.content.as<document>();
  if (stage.name != "$project" || content == nullptr) return std::nullopt;
  stage_effects out = of_project(*content, rules);
  if (!out.changes_all_but) return std::nullopt;
  add_key_parts(*content, key_parts, out);
  return out;
}

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
  const auto* fields = content == nullptr ? nullptr : content->find_as<document>("_id");
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
    const auto* path = as<std::string>(operand);
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
