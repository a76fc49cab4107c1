#pragma once

#include "routing/bounds/value_bounds.hpp"

namespace scattergate::routing {

/// What is wrong with a filter that can't be judged.
enum class filter_fault : std::uint8_t {
  none,
  unreadable,  ///< corrupt BSON
  too_deep,    ///< nested deeper than mongos reads
  refused,     ///< mongos answers with an error (BadValue)
  bad_expression,  ///< $expr holds an operator that MongoDB doesn't know
  malformed_expression,  ///< in $expr, a further field stands beside an operator
};

/// `$in`: the union of its members' points; regexes among them count as regexes. Where the
/// scratch is too small for all points, the range from the least to the greatest stands in.
/// REQUIRES: fault_of_list() finds none.
[[nodiscard]] field_bounds one_of(wire::document_view members, const field_rules& rules,
                                  scratch& memory) noexcept;
[[nodiscard]] filter_fault fault_of_list(wire::document_view members,
                                         wire::work_budget& work) noexcept;

/// `$type`: the brackets of the types named. REQUIRES: fault_of_type() finds none.
[[nodiscard]] field_bounds of_type(const wire::element& types, const field_rules& rules,
                                   scratch& memory) noexcept;
[[nodiscard]] filter_fault fault_of_type(const wire::element& types,
                                         wire::work_budget& work) noexcept;

/// Whether the members are the logical shards of one thing: strings "<id>:<n>" that differ in
/// nothing but the number, at least two of them.
[[nodiscard]] bool are_logical_shards(wire::document_view members,
                                      wire::work_budget& work) noexcept;

/// Whether `value` is a document whose first field is an operator: not a literal, nor a
/// reference ($ref, $id, $db).
[[nodiscard]] bool is_operator_document(const wire::element& value) noexcept;

/// The only member, where there is exactly one.
[[nodiscard]] std::optional<wire::element> only_member(wire::document_view members,
                                                       wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
