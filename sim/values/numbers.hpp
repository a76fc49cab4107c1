#pragma once

#include "sim/values/value.hpp"

/// Arithmetic with BSON's promotions, shared by `$inc`, `$sum`, `$add`, ...
namespace scattergate::sim {

/// The sum: int32 if it fits and neither operand is wider, otherwise int64, otherwise double.
/// Decimal128 is computed as a double (documented limitation).
[[nodiscard]] value add(const value& left, const value& right);
[[nodiscard]] value multiply(const value& left, const value& right);

}  // namespace scattergate::sim
