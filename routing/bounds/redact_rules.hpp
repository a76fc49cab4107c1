#pragma once

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Whether a copy of the predicate `part` (a path and what it must be) may run before a
/// $redact: whether no field that the $redact hides can make it match (mongo:
/// pipeline/document_source_match.cpp, redactSafePortion).
[[nodiscard]] bool may_precede_redact(const wire::element& part,
                                      wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
