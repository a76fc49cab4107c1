#pragma once

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Whether an $expr only compares fields with constants other than null, by comparisons and
/// $in, joined by $and, $or and $not. mongos moves such a $match past a $group, whose key may
/// differ from the field in other ways (mongo: pipeline/optimization/match_rules.cpp,
/// ExpressionGroupSwapValidator). When in doubt, false.
[[nodiscard]] bool is_key_comparison(const wire::element& expression,
                                     wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
