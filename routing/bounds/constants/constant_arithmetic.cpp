#include "routing/bounds/constants/constant_arithmetic.hpp"

#include <cmath>

namespace scattergate::routing {

using wire::bson_type;
using values = std::span<const folded>;

namespace {

bool overflows(arithmetic how, std::int64_t left, std::int64_t right,
               std::int64_t& to) noexcept {
  switch (how) {
    case arithmetic::add:
      return __builtin_add_overflow(left, right, &to);
    case arithmetic::subtract:
      return __builtin_sub_overflow(left, right, &to);
    default:
      return __builtin_mul_overflow(left, right, &to);
  }
}

double computed(arithmetic how, double left, double right) noexcept {
  switch (how) {
    case arithmetic::add:
      return left + right;
    case arithmetic::subtract:
      return left - right;
    default:
      return left * right;
  }
}

bool is_date(const folded& one) noexcept {
  return one.is == folded::kind::some_date ||
         (one.is_constant() && one.value.type() == bson_type::date);
}

}  // namespace

folded calculated(arithmetic how, values operands, scratch& memory) noexcept {
  plain_number result{true, true, how == arithmetic::multiply ? 1 : 0,
                      how == arithmetic::multiply ? 1.0 : 0.0};
  int dates = 0;
  bool is_first = true;
  bool is_some_date = false;
  for (const folded& one : operands) {
    if (one.is == folded::kind::some_date) {
      is_some_date = true;
      ++dates;
      is_first = false;
      continue;
    }
    if (is_nullish(one)) return constant_null();
    const plain_number next = number_of(one.value);
    if (!next.is_known) return unknown_constant;
    dates += one.value.type() == bson_type::date ? 1 : 0;
    if (is_first && how == arithmetic::subtract) {
      result = next;
    } else {
      result.real = computed(how, result.real, next.real);
      result.is_whole = result.is_whole && next.is_whole;
      if (result.is_whole && overflows(how, result.whole, next.whole, result.whole)) {
        return unknown_constant;
      }
    }
    is_first = false;
  }
  if (dates > 0 && how == arithmetic::multiply) return unknown_constant;
  const bool is_distance = dates == 2 && how == arithmetic::subtract;
  const bool is_moved = dates == 1 && (how == arithmetic::add || is_date(operands.front()));
  if (dates > 0 && !is_distance && !is_moved) return unknown_constant;
  if (is_some_date) return is_moved ? folded{folded::kind::some_date, {}} : unknown_constant;
  // Versions of MongoDB round sums of more than two doubles differently.
  if (!result.is_whole && operands.size() > 2) return unknown_constant;
  if (is_moved) return result.is_whole ? constant_date(result.whole, memory) : unknown_constant;
  return result.is_whole ? constant_integer(result.whole, memory)
                         : constant_real(result.real, memory);
}

folded divided(values operands, scratch& memory) noexcept {
  if (operands.size() != 2) return unknown_constant;
  if (is_nullish(operands[0]) || is_nullish(operands[1])) return constant_null();
  const plain_number left = number_of(operands[0].value);
  const plain_number right = number_of(operands[1].value);
  const bool has_date = operands[0].value.type() == bson_type::date ||
                        operands[1].value.type() == bson_type::date;
  if (!left.is_known || !right.is_known || has_date || right.real == 0.0)
    return unknown_constant;
  return constant_real(left.real / right.real, memory);
}

folded remainder_of(values operands, scratch& memory) noexcept {
  if (operands.size() != 2) return unknown_constant;
  if (is_nullish(operands[0]) || is_nullish(operands[1])) return constant_null();
  const plain_number left = number_of(operands[0].value);
  const plain_number right = number_of(operands[1].value);
  if (!left.is_known || !right.is_known || right.real == 0.0) return unknown_constant;
  if (!left.is_whole || !right.is_whole)
    return constant_real(std::fmod(left.real, right.real), memory);
  return constant_integer(right.whole == -1 ? 0 : left.whole % right.whole, memory);
}

}  // namespace scattergate::routing
