#pragma once

#include "routing/bounds/filter_fault.hpp"
#include "routing/bounds/value_bounds.hpp"

namespace scattergate::routing {

/// The bounds of a `$type`: the ranges of the types that `types` names. REQUIRES:
/// fault_of_type() finds no fault.
[[nodiscard]] field_bounds of_type(const wire::element& types, const field_rules& rules,
                                   scratch& memory) noexcept;
/// The fault of the operand of a `$type`; `none` if there is none.
[[nodiscard]] filter_fault fault_of_type(const wire::element& types,
                                         wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
