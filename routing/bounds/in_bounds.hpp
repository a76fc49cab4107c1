#pragma once

#include "routing/bounds/filter_fault.hpp"
#include "routing/bounds/value_bounds.hpp"

namespace scattergate::routing {

/// The bounds (ranges of values) of an `$in` on a key field: the union of the bounds of the
/// list's members. If the scratch memory has no room for this union, returns wider bounds: one
/// range from the union's least to its greatest value, or all values. REQUIRES:
/// fault_of_list() returns `none` for the list.
[[nodiscard]] field_bounds one_of(wire::document_view members, const field_rules& rules,
                                  scratch& memory) noexcept;
/// Why mongos rejects the list of an `$in`, or why the list can't be read; `none` if it is
/// valid.
[[nodiscard]] filter_fault fault_of_list(wire::document_view members, server_version version,
                                         wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
