#pragma once

#include "routing/bounds/filter_fault.hpp"
#include "routing/bounds/value_bounds.hpp"

namespace scattergate::routing {

/// `$in`: the union of its members' points; regexes among them count as regexes. Where the
/// scratch is too small for all points, the range from the least to the greatest stands in.
/// REQUIRES: fault_of_list() finds none.
[[nodiscard]] field_bounds one_of(wire::document_view members, const field_rules& rules,
                                  scratch& memory) noexcept;
[[nodiscard]] filter_fault fault_of_list(wire::document_view members,
                                         wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
