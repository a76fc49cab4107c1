#pragma once

#include "routing/bounds/filter_fault.hpp"
#include "routing/bounds/value_bounds.hpp"

namespace scattergate::routing {

/// The bounds of an `$in`: the union of the bounds of its members. If the scratch memory has no
/// room for this union, returns one range from the union's least to its greatest value, or full
/// bounds. REQUIRES: fault_of_list() finds no fault.
[[nodiscard]] field_bounds one_of(wire::document_view members, const field_rules& rules,
                                  scratch& memory) noexcept;
/// The fault of an `$in` list; `none` if there is none.
[[nodiscard]] filter_fault fault_of_list(wire::document_view members,
                                         wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
