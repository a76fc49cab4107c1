#include "routing/pipeline/match_split.hpp"

#include "routing/bounds/field_reference.hpp"
#include "routing/bounds/neutral_truth.hpp"
#include "routing/bounds/operator_document.hpp"
#include "routing/pipeline/bson_block.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

bool is_list_of_filters(const element& part) noexcept {
  return part.is_array() &&
         (part.key() == "$and" || part.key() == "$or" || part.key() == "$nor");
}

/// Whether `$sampleRate` stands in one of the branches, or in a list within one.
bool names_sample(document_view branches, wire::work_budget& work,
                  std::uint32_t depth = 0) noexcept {
  if (depth >= wire::limits::inspect_depth) return true;
  wire::metered_reader reader{branches, work};
  for (element branch; reader.next(branch);) {
    wire::metered_reader parts{branch.as_document().value_or(document_view{}), work};
    for (element part; parts.next(part);) {
      if (part.key() == "$sampleRate") return true;
      if (is_list_of_filters(part) && names_sample(*part.as_array(), work, depth + 1)) {
        return true;
      }
    }
  }
  return false;
}

bool is_literal(const element& expression) noexcept {
  return expression.key() == "$literal" || expression.key() == "$const";
}

}  // namespace

std::optional<element> match_split::moved(const element& part) noexcept {
  if (!part.key().starts_with('$')) return moved_field(part);
  if (part.key() == "$nor" && part.is_array()) return moved_nor(part);
  renames_ = false;
  if (!is_free(part)) return std::nullopt;
  if (!renames_) return part;
  return field_written(memory_, [&](bson_block& to) { copy(to, part); });
}

/// The operators on a field are a conjunction, so each moves separately.
std::optional<element> match_split::moved_field(const element& part) noexcept {
  bool is_reshaped = false;
  const auto name = passed_.origin_of(part.key(), memory_, until_, &is_reshaped);
  if (!name || !is_separable(part)) return std::nullopt;
  const leaf_rules rules = rules_for(is_reshaped);
  if (rules.moves(part, memory_.work())) return element{*name, part.type(), part.value()};
  std::size_t count = 0;
  const auto written = field_written(memory_, [&](bson_block& to) {
    const std::size_t inside = to.open(wire::bson_type::document, *name);
    wire::metered_reader reader{part.as_document().value_or(document_view{}), memory_.work()};
    for (element predicate; reader.next(predicate);) {
      if (!rules.operator_moves(predicate, memory_.work())) continue;
      to.add(predicate.key(), predicate);
      ++count;
    }
    to.close(inside);
  });
  return count != 0 ? written : std::nullopt;
}

/// A $nor is a conjunction of its members' negations, so each member moves separately, but only
/// as a whole.
std::optional<element> match_split::moved_nor(const element& part) noexcept {
  renames_ = false;
  if (is_free(part) && !renames_) return part;
  // mongo: matcher/expression_parser.cpp, parseSampleRate makes an $expr, which may move, too,
  // and of several members no index supports the negation.
  if (names_sample(part.as_array().value_or(document_view{}), memory_.work())) {
    keeps_sample_ = true;
    return std::nullopt;
  }
  wire::metered_reader reader{part.as_array().value_or(document_view{}), memory_.work()};
  bool any = false;
  for (element branch; !any && reader.next(branch);) any = is_free_branch(branch);
  if (!any) return std::nullopt;
  return field_written(memory_, [&](bson_block& to) { copy_branches(to, part, true); });
}

bool match_split::is_free(const element& part, std::uint32_t depth) noexcept {
  if (!part.key().starts_with('$')) {
    bool is_reshaped = false;
    return is_path_free(part.key(), &is_reshaped) &&
           rules_for(is_reshaped).moves(part, memory_.work()) && is_separable(part);
  }
  if (part.key() == "$comment") return true;
  if (part.key() == "$expr") {
    return rules_.expressions_move && !passed_.is_nested() && is_expression_free(part, depth);
  }
  if (part.key() == "$sampleRate") {
    return rules_.constant_samples_move && constant_of_sample_rate(part).has_value();
  }
  return is_list_of_filters(part) && are_free(part, depth);
}

/// Whether a condition moves although a stage may create the embedded document of its field: it
/// must not match a missing field (mongo: matcher/expression_algo.cpp, isIndependentOfImpl;
/// jstests/aggregation/sources/addFields/independence.js).
bool match_split::is_separable(const element& field) noexcept {
  return !rules_.missing_stays || !passed_.shares_field(field.key(), memory_, until_) ||
         !leaf_rules::may_match_missing(field.key(), field, memory_.work());
}

bool match_split::are_free(const element& branches, std::uint32_t depth) noexcept {
  wire::metered_reader reader{branches.as_container().value_or(document_view{}),
                              memory_.work()};
  for (element branch; reader.next(branch);) {
    if (!is_free_branch(branch, depth)) return false;
  }
  return true;
}

bool match_split::is_free_branch(const element& branch, std::uint32_t depth) noexcept {
  const auto filter = branch.as_document();
  if (!filter || depth >= wire::limits::inspect_depth) return false;
  wire::metered_reader reader{*filter, memory_.work()};
  for (element part; reader.next(part);) {
    if (!is_free(part, depth + 1)) return false;
  }
  return true;
}

/// The rules for a path. If the array at the path was below another array before the stages
/// (`is_reshaped`), conditions on its members don't move (mongo: matcher/expression_path.h,
/// wouldRenameSucceed).
leaf_rules match_split::rules_for(bool is_reshaped) const noexcept {
  leaf_rules rules = rules_;
  rules.arrays_move &= !is_reshaped;
  return rules;
}

bool match_split::is_path_free(std::string_view path, bool* reshaped) noexcept {
  const std::size_t mark = memory_.mark();
  const auto origin = passed_.origin_of(path, memory_, until_, reshaped);
  renames_ |= origin && *origin != path;
  memory_.rewind(mark);
  return origin.has_value();
}

/// Whether all fields that an expression reads exist at the new position.
bool match_split::is_expression_free(const element& expression, std::uint32_t depth) noexcept {
  if (depth >= wire::limits::inspect_depth) return false;
  if (expression.is_string()) {
    const std::string_view text = expression.as_string();
    if (text == "$$ROOT" || text == "$$CURRENT") return false;
    const auto path = field_reference(text);
    return !path || is_path_free(*path);
  }
  if (is_literal(expression)) return true;
  wire::metered_reader reader{expression.as_container().value_or(document_view{}),
                              memory_.work()};
  for (element member; reader.next(member);) {
    if (!is_expression_free(member, depth + 1)) return false;
  }
  return true;
}

/// Copies a part that moves as a whole, with its paths renamed for the new position.
void match_split::copy(bson_block& to, const element& part) noexcept {
  if (is_list_of_filters(part)) return copy_branches(to, part, false);
  if (part.key() == "$expr") return copy_expression(to, part);
  if (part.key().starts_with('$')) return to.add(part.key(), part);
  const std::size_t mark = memory_.mark();
  const auto name = passed_.origin_of(part.key(), memory_, until_);
  if (name) to.add(*name, part);
  if (!name) to.invalidate();
  memory_.rewind(mark);
}

void match_split::copy_branches(bson_block& to, const element& list, bool free_alone) noexcept {
  const std::size_t members = to.open(wire::bson_type::array, list.key());
  wire::metered_reader branches{list.as_array().value_or(document_view{}), memory_.work()};
  for (element branch; branches.next(branch);) {
    if (free_alone && !is_free_branch(branch)) continue;
    const std::size_t inside = to.open(wire::bson_type::document, branch.key());
    wire::metered_reader reader{branch.as_document().value_or(document_view{}), memory_.work()};
    for (element part; reader.next(part);) copy(to, part);
    to.close(inside);
  }
  to.close(members);
}

void match_split::copy_expression(bson_block& to, const element& expression) noexcept {
  const auto inner = expression.as_container();
  if (inner && !is_literal(expression)) {
    const std::size_t inside = to.open(expression.type(), expression.key());
    wire::metered_reader reader{*inner, memory_.work()};
    for (element member; reader.next(member);) copy_expression(to, member);
    return to.close(inside);
  }
  const auto path = field_reference(expression.as_string());
  if (!expression.is_string() || !path || is_literal(expression)) {
    return to.add(expression.key(), expression);
  }
  const std::size_t mark = memory_.mark();
  const auto name = passed_.origin_of(*path, memory_, until_);
  if (name) to.add_text(expression.key(), "$", *name);
  if (!name) to.invalidate();
  memory_.rewind(mark);
}

}  // namespace scattergate::routing
