#pragma once

#include "sim/values/value.hpp"

/// Arithmetic on BSON numbers with MongoDB's promotions, for `$inc`, `$sum`, `$add`, ...
namespace scattergate::sim {

/// The sum. An int32 if it fits and both operands are int32, otherwise an int64 if it fits,
/// otherwise a double. Decimal128 is computed as a double (a documented limitation).
[[nodiscard]] value add(const value& left, const value& right);
/// The product. The type of the result follows the same rules as in add().
[[nodiscard]] value multiply(const value& left, const value& right);

}  // namespace scattergate::sim
