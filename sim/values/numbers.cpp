#include "sim/values/numbers.hpp"

#include <limits>

namespace scattergate::sim {
namespace {

value narrowed(std::int64_t result, bool may_be_int32) {
  const bool fits = result >= std::numeric_limits<std::int32_t>::min() &&
                    result <= std::numeric_limits<std::int32_t>::max();
  if (may_be_int32 && fits) return static_cast<std::int32_t>(result);
  return result;
}

bool are_int32(const value& left, const value& right) {
  return left.is<std::int32_t>() && right.is<std::int32_t>();
}

}  // namespace

value add(const value& left, const value& right) {
  std::int64_t result = 0;
  if (left.is_integer() && right.is_integer() &&
      !__builtin_add_overflow(left.as_int64(), right.as_int64(), &result)) {
    return narrowed(result, are_int32(left, right));
  }
  return left.as_double() + right.as_double();
}

value multiply(const value& left, const value& right) {
  std::int64_t result = 0;
  if (left.is_integer() && right.is_integer() &&
      !__builtin_mul_overflow(left.as_int64(), right.as_int64(), &result)) {
    return narrowed(result, are_int32(left, right));
  }
  return left.as_double() * right.as_double();
}

}  // namespace scattergate::sim
