#include "routing/pipeline/match_split.hpp"

#include <algorithm>

#include "routing/bounds/filter_parts.hpp"
#include "routing/bounds/match_operator.hpp"
#include "routing/bounds/neutral_truth.hpp"
#include "routing/pipeline/bson_block.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// Whether mongos treats an $all like a simple predicate. False if the members are $elemMatch,
/// and for an empty list, which matches nothing.
bool all_is_leaf(const element& list) noexcept {
  const auto members = list.as_array();
  if (!members || members->is_empty()) return false;
  element first;
  return wire::document_reader{*members}.next(first) && !is_operator_document(first);
}

/// Whether a value may match a missing field, or contains such a value. True more often than in
/// mongos, which only considers documents that contain null.
bool holds_missing(const element& value, wire::work_budget& work,
                   std::uint32_t depth) noexcept {
  using wire::bson_type;
  const bson_type type = value.type();
  if (type == bson_type::null || type == bson_type::undefined || type == bson_type::min_key ||
      type == bson_type::max_key || depth >= wire::limits::inspect_depth) {
    return true;
  }
  wire::metered_reader reader{value.as_container().value_or(document_view{}), work};
  for (element inner; reader.next(inner);) {
    if (holds_missing(inner, work, depth + 1)) return true;
  }
  return false;
}

bool has_digit(std::string_view path) noexcept {
  return std::ranges::any_of(path, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool leaf_rules::may_match_missing(std::string_view path, const element& condition,
                                   wire::work_budget& work) noexcept {
  return has_digit(path) || holds_missing(condition, work, 0);
}

bool leaf_rules::operator_moves(const element& predicate, wire::work_budget& work,
                                std::uint32_t depth) const noexcept {
  switch (field_operator_of(predicate.key())) {
    case field_operator::elem_match:
      return arrays_move;
    case field_operator::all:
      return all_is_leaf(predicate) || (arrays_move && predicate.is_array());
    case field_operator::not_:
      return moves(predicate, work, depth + 1);
    case field_operator::neutral:
      return predicate.key() == "$size" ? arrays_move
                                        : !predicate.key().starts_with("$_internal");
    case field_operator::near:
    case field_operator::unknown:
      return false;
    default:
      return true;
  }
}

bool leaf_rules::moves(const element& condition, wire::work_budget& work,
                       std::uint32_t depth) const noexcept {
  if (!is_operator_document(condition)) return true;
  if (depth >= wire::limits::inspect_depth) return false;
  wire::metered_reader reader{condition.as_document().value_or(document_view{}), work};
  for (element predicate; reader.next(predicate);) {
    if (!operator_moves(predicate, work, depth)) return false;
  }
  return true;
}

leaf_rules leaf_rules_of(server_version version) noexcept {
  // 4.4.0-rc3 moves neither conditions on arrays nor $expr. mongos moves $expr since 5.0 at the
  // latest, and conditions on arrays since 8.0 at the latest. Conditions that may match missing
  // fields stay since some version after 4.4. Assuming that a condition stays gives the wider
  // answer. From 8.0 on mongos may first replace a constant $sampleRate, and then it stays.
  const bool is_modern = version >= server_version{8, 0};
  const bool expressions_move = version >= server_version{5, 0};
  return {.arrays_move = is_modern,
          .expressions_move = expressions_move,
          .missing_stays = !moves_as_4_4(version),
          .constant_samples_move = expressions_move && !is_modern};
}

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

namespace {

using wire::bson_type;

/// Whether a path contains a number, which may be an array index. A $redact may shift array
/// members.
bool has_position(std::string_view path) noexcept {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    if (!name.empty() && std::ranges::all_of(name, is_digit)) return true;
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return false;
}

/// Whether an equality with the value compares the field as a whole, and doesn't match a
/// missing field.
bool is_plain(const element& value) noexcept {
  return !value.is_array() && !value.is_document() && value.type() != bson_type::null &&
         value.type() != bson_type::undefined;
}

/// Writes the safe part of a filter. Each function returns whether it has written anything.
class portion_writer {
 public:
  portion_writer(bson_block& to, safe_equality safe, wire::work_budget& work) noexcept
      : to_(to), safe_(safe), work_(work) {}

  bool part(const element& part, std::uint32_t depth) noexcept {
    if (depth >= wire::limits::inspect_depth) return false;
    if (part.key() == "$and" || part.key() == "$or") {
      return clauses(part, part.key() == "$or", depth);
    }
    if (part.key().starts_with('$') || has_position(part.key())) return false;
    if (part.is_document()) return inside(part, depth, &portion_writer::predicate);
    return is_safe_value(part) && whole(part);
  }

 private:
  /// Whether {a: value} can be copied. A regular expression always can, because it isn't an
  /// equality.
  [[nodiscard]] bool is_safe_value(const element& value) const noexcept {
    return is_plain(value) &&
           (safe_ != safe_equality::none || value.type() == bson_type::regex);
  }

  using writing = bool (portion_writer::*)(const element&, std::uint32_t) noexcept;

  /// Writes the field unchanged.
  bool whole(const element& field) noexcept {
    to_.add(field.key(), field);
    return true;
  }

  /// Writes the safe part of each field of `outer`, by `write`.
  bool inside(const element& outer, std::uint32_t depth, writing write) noexcept {
    const std::size_t before = to_.size_bytes();
    const std::size_t opened = to_.open(outer.type(), outer.key());
    wire::metered_reader reader{outer.as_container().value_or(document_view{}), work_};
    bool any = false;
    for (element field; reader.next(field);) any |= (this->*write)(field, depth + 1);
    to_.close(opened);
    if (!any) to_.take_back(before);
    return any;
  }

  /// Writes the safe parts of the clauses of an $and or $or. `all`: an $or, which is kept only
  /// if each clause has a safe part.
  bool clauses(const element& list, bool all, std::uint32_t depth) noexcept {
    const std::size_t before = to_.size_bytes();
    const std::size_t opened = to_.open(bson_type::array, list.key());
    wire::metered_reader reader{list.as_array().value_or(document_view{}), work_};
    bool any = false;
    bool sound = true;
    for (element clause; sound && reader.next(clause);) {
      const bool is_left = clause.is_document() && inside(clause, depth, &portion_writer::part);
      any |= is_left;
      sound = is_left || !all;
    }
    to_.close(opened);
    if (!any || !sound) to_.take_back(before);
    return any && sound;
  }

  /// Writes an operator on a field if it is safe. A member of a literal document isn't.
  bool predicate(const element& predicate, std::uint32_t depth) noexcept {
    if (depth >= wire::limits::inspect_depth) return false;
    switch (field_operator_of(predicate.key())) {
      case field_operator::type:
      case field_operator::regex:
      case field_operator::options:
      case field_operator::mod:
        return whole(predicate);
      case field_operator::neutral:
        return predicate.key().starts_with("$bits") && whole(predicate);
      case field_operator::eq:
        return safe_ == safe_equality::any && is_plain(predicate) && whole(predicate);
      case field_operator::gt:
      case field_operator::gte:
      case field_operator::lt:
      case field_operator::lte:
        return is_plain(predicate) && whole(predicate);
      case field_operator::in:
        return are_plain(predicate) && whole(predicate);
      case field_operator::all:  // mongos rewrites its members to equalities
        return safe_ != safe_equality::none && predicate.is_array() &&
               inside(predicate, depth, &portion_writer::member);
      case field_operator::elem_match:
        return predicate.is_document() && inside(predicate, depth, inner_of(predicate));
      default:
        return false;
    }
  }

  bool member(const element& value, std::uint32_t /*depth*/) noexcept {
    return is_plain(value) && whole(value);
  }

  [[nodiscard]] bool are_plain(const element& list) noexcept {
    const auto members = list.as_array();
    if (!members) return false;
    wire::metered_reader reader{*members, work_};
    for (element one; reader.next(one);) {
      if (!is_plain(one)) return false;
    }
    return true;
  }

  /// The function for the contents of an $elemMatch: a filter, or operators.
  [[nodiscard]] static writing inner_of(const element& condition) noexcept {
    element first;
    const auto inner = condition.as_document();
    const bool is_filter =
        inner && wire::document_reader{*inner}.next(first) && !first.key().starts_with('$');
    return is_filter ? &portion_writer::part : &portion_writer::predicate;
  }

  bson_block& to_;
  const safe_equality safe_;
  wire::work_budget& work_;
};

}  // namespace

std::optional<element> redact_portion(const element& part, safe_equality safe,
                                      scratch& memory) noexcept {
  return field_written(memory, [&](bson_block& to) {
    (void)portion_writer{to, safe, memory.work()}.part(part, 0);
  });
}

}  // namespace scattergate::routing
