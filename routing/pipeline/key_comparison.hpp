#pragma once

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Whether an $expr consists only of comparisons of a field with constants other than null,
/// including $in, combined by $and, $or and $not. mongos moves a $match with an $expr past a
/// $group only in this case (mongo: pipeline/optimization/match_rules.cpp,
/// ExpressionGroupSwapValidator). False if in doubt.
[[nodiscard]] bool is_key_comparison(const wire::element& expression,
                                     wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
