#pragma once

#include "sim/values/value.hpp"

/// Arithmetic on BSON numbers with MongoDB's promotions, for `$inc`, `$sum`, `$add`, ...
namespace scattergate::sim {

/// The sum. An int32 if both operands are int32 and it fits, an int64 if both are integers and
/// it fits, otherwise a double. Decimal128 is computed as a double (a documented limitation).
[[nodiscard]] value add(const value& left, const value& right);
/// The product. An int32 if both operands are int32 and it fits, an int64 if both are integers
/// and it fits, otherwise a double. Decimal128 is computed as a double.
[[nodiscard]] value multiply(const value& left, const value& right);

}  // namespace scattergate::sim
