#pragma once

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Whether an $expr only compares fields with constants other than null, by comparisons and
/// $in, combined by $and, $or and $not. mongos moves only such a $match past a $group (mongo:
/// pipeline/optimization/match_rules.cpp, ExpressionGroupSwapValidator). False if in doubt.
[[nodiscard]] bool is_key_comparison(const wire::element& expression,
                                     wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
