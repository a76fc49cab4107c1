#pragma once

#include "routing/bounds/filter_fault.hpp"
#include "routing/bounds/value_bounds.hpp"

namespace scattergate::routing {

/// The bounds (ranges of values) of a `$type` on a key field: all values of the types that the
/// operand `types` names. REQUIRES: fault_of_type() returns `none` for the operand.
[[nodiscard]] field_bounds of_type(const wire::element& types, const field_rules& rules,
                                   scratch& memory) noexcept;
/// Why mongos rejects the operand of a `$type`, or why the operand can't be read; `none` if it
/// is valid.
[[nodiscard]] filter_fault fault_of_type(const wire::element& types,
                                         wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
