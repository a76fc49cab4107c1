#include "routing/pipeline/leaf_rules.hpp"

#include <algorithm>

#include "routing/bounds/match_operator.hpp"
#include "routing/bounds/operator_document.hpp"
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

}  // namespace scattergate::routing
