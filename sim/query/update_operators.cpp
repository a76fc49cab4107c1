#include "sim/query/update_operators.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/values/compare.hpp"
#include "sim/values/error.hpp"
#include "sim/values/function_table.hpp"
#include "sim/values/numbers.hpp"

namespace scattergate::sim {
namespace {

void need_numbers(const char* name, const value& target, bool exists, const value& operand) {
  if (!operand.is_number()) {
    throw command_failure(errc::type_mismatch,
                          std::string{"Cannot "} + name + " with non-numeric argument");
  }
  if (exists && !target.is_number()) {
    throw command_failure(errc::type_mismatch, std::string{"Cannot apply "} + name +
                                                   " to a value of non-numeric type");
  }
}

bool op_set(value& target, bool, const value& operand, const update_context&) {
  target = operand;
  return true;
}

bool op_inc(value& target, bool exists, const value& operand, const update_context&) {
  need_numbers("increment", target, exists, operand);
  target = exists ? add(target, operand) : operand;
  return true;
}

bool op_mul(value& target, bool exists, const value& operand, const update_context&) {
  need_numbers("multiply", target, exists, operand);
  // A missing field becomes zero of the operand's type.
  target = multiply(exists ? target : value{std::int32_t{0}}, operand);
  return true;
}

bool op_min(value& target, bool exists, const value& operand, const update_context&) {
  if (!exists || compare(operand, target) < 0) target = operand;
  return true;
}

bool op_max(value& target, bool exists, const value& operand, const update_context&) {
  if (!exists || compare(operand, target) > 0) target = operand;
  return true;
}

bool op_current_date(value& target, bool, const value& operand, const update_context& context) {
  const auto* options = operand.as<document>();
  const value* type = options == nullptr ? nullptr : options->find("$type");
  const auto* name = type == nullptr ? nullptr : type->as<std::string>();
  if (options != nullptr && (name == nullptr || (*name != "date" && *name != "timestamp"))) {
    throw command_failure(errc::bad_value, "$currentDate needs {$type: 'date' or 'timestamp'}");
  }
  if (name != nullptr && *name == "timestamp") {
    target = timestamp{1, static_cast<std::uint32_t>(context.now_millis / 1000)};
  } else {
    target = date{context.now_millis};
  }
  return true;
}

bool op_bit(value& target, bool exists, const value& operand, const update_context&) {
  const auto* operations = operand.as<document>();
  if (operations == nullptr || operations->empty() || (exists && !target.is_integer())) {
    throw command_failure(errc::bad_value, "$bit needs {and|or|xor: integer} on an integer");
  }
  std::int64_t bits = exists ? target.as_int64() : 0;
  bool wide = target.is<std::int64_t>();
  for (const field& each : *operations) {
    if (!each.content.is_integer())
      throw command_failure(errc::bad_value, "$bit needs integers");
    wide = wide || each.content.is<std::int64_t>();
    const std::int64_t mask = each.content.as_int64();
    if (each.name == "and")
      bits &= mask;
    else if (each.name == "or")
      bits |= mask;
    else if (each.name == "xor")
      bits ^= mask;
    else
      throw command_failure(errc::bad_value, "$bit knows and, or, xor");
  }
  target = wide ? value{bits} : value{static_cast<std::int32_t>(bits)};
  return true;
}

constexpr auto value_operators = std::to_array<std::pair<std::string_view, update_function>>({
    {"$set", op_set},
    {"$inc", op_inc},
    {"$mul", op_mul},
    {"$min", op_min},
    {"$max", op_max},
    {"$currentDate", op_current_date},
    {"$bit", op_bit},
});

}  // namespace

update_function find_update_operator(std::string_view name) noexcept {
  const update_function found = find_function(value_operators, name);
  return found != nullptr ? found : find_array_operator(name);
}

}  // namespace scattergate::sim
