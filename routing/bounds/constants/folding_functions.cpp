#include "routing/bounds/constants/folding_functions.hpp"

#include <algorithm>
#include <array>

#include "routing/bounds/constants/constant_arithmetic.hpp"
#include "routing/bounds/constants/constant_conversion.hpp"
#include "routing/keys/key_encoding.hpp"
#include "wire/endian.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::element;
using values = std::span<const folded>;

folded concatenated(values operands, scratch& memory) noexcept {
  const auto parts = memory.allocate<std::string_view>(operands.size());
  if (parts.size() != operands.size()) return unknown_constant;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (is_nullish(operands[i])) return constant_null();
    if (!operands[i].value.is_string()) return unknown_constant;
    parts[i] = operands[i].value.as_string();
  }
  return constant_text(parts, memory);
}

/// The result of a $toLower or $toUpper, which change ASCII letters only.
folded with_case(bool upper, const folded& operand, scratch& memory) noexcept {
  if (is_nullish(operand)) return constant_text({}, memory);
  if (!operand.value.is_string()) return unknown_constant;
  const std::string_view from = operand.value.as_string();
  const auto room = memory.allocate<char>(from.size());
  if (room.size() != from.size()) return unknown_constant;
  std::ranges::transform(from, room.begin(), [upper](char c) {
    if (upper && c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
    if (!upper && c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    return c;
  });
  return constant_text(std::array{std::string_view{room.data(), room.size()}}, memory);
}

/// Whether a constant is true as a condition: everything is, except false, zero, null and
/// missing.
bool is_true(const folded& one) noexcept {
  if (is_nullish(one)) return false;
  if (one.value.is_number() || one.value.type() == bson_type::boolean) {
    return one.value.is_truthy();
  }
  return true;
}

folded compared(std::string_view operation, values operands, scratch& memory) noexcept {
  if (operands.size() != 2) return unknown_constant;
  for (const folded& one : operands) {
    if (!one.is_constant()) return unknown_constant;
  }
  const bytes_view left = encode(operands[0].value, memory);
  const bytes_view right = encode(operands[1].value, memory);
  if (left.empty() || right.empty()) return unknown_constant;
  const int order = compare_encoded(left, right);
  if (operation == "$eq") return constant_boolean(order == 0, memory);
  if (operation == "$ne") return constant_boolean(order != 0, memory);
  if (operation == "$gt") return constant_boolean(order > 0, memory);
  if (operation == "$gte") return constant_boolean(order >= 0, memory);
  if (operation == "$lt") return constant_boolean(order < 0, memory);
  return constant_boolean(order <= 0, memory);
}

folded decided(std::string_view operation, values operands, scratch& memory) noexcept {
  if (operation == "$and")
    return constant_boolean(std::ranges::all_of(operands, is_true), memory);
  if (operation == "$or")
    return constant_boolean(std::ranges::any_of(operands, is_true), memory);
  if (operation == "$not") {
    return operands.size() == 1 ? constant_boolean(!is_true(operands[0]), memory)
                                : unknown_constant;
  }
  if (operation == "$cond") {
    return operands.size() == 3 ? operands[is_true(operands[0]) ? 1 : 2] : unknown_constant;
  }
  const auto first = std::ranges::find_if_not(operands, is_nullish);  // $ifNull
  return operands.empty()          ? unknown_constant
         : first == operands.end() ? operands.back()
                                   : *first;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) noexcept {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

folded apply(std::string_view operation, values operands, scratch& memory) noexcept {
  if (operation == "$add") return calculated(arithmetic::add, operands, memory);
  if (operation == "$subtract" && operands.size() == 2) {
    return calculated(arithmetic::subtract, operands, memory);
  }
  if (std::ranges::find(operands, folded::kind::some_date, &folded::is) != operands.end()) {
    return unknown_constant;
  }
  if (operation == "$multiply") return calculated(arithmetic::multiply, operands, memory);
  if (operation == "$divide") return divided(operands, memory);
  if (operation == "$mod") return remainder_of(operands, memory);
  if (operation == "$concat") return concatenated(operands, memory);
  if (is_one_of(operation, {"$eq", "$ne", "$gt", "$gte", "$lt", "$lte"})) {
    return compared(operation, operands, memory);
  }
  if (is_one_of(operation, {"$and", "$or", "$not", "$cond", "$ifNull"})) {
    return decided(operation, operands, memory);
  }
  if (operands.size() != 1) return unknown_constant;
  if (operation == "$toLower" || operation == "$toUpper") {
    return with_case(operation == "$toUpper", operands[0], memory);
  }
  if (is_conversion(operation)) {
    return is_nullish(operands[0]) ? constant_null()
                                   : converted(operation, operands[0].value, memory);
  }
  return unknown_constant;
}

folded composed(std::span<const element> names, values members, bool is_array,
                scratch& memory) noexcept {
  std::size_t size = sizeof(std::uint32_t) + 1;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].is == folded::kind::some_date) return unknown_constant;
    size += 2 + names[i].key().size() + members[i].value.value().size();
  }
  memory.work().charge(size / 4);
  const auto room = memory.allocate<std::byte>(size);
  if (room.empty()) return unknown_constant;
  auto to = room.begin() + sizeof(std::uint32_t);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool is_missing = members[i].is == folded::kind::missing;
    if (is_missing && !is_array) continue;
    *to++ = static_cast<std::byte>(is_missing ? bson_type::null : members[i].value.type());
    to = std::ranges::copy(std::as_bytes(std::span{names[i].key()}), to).out;
    *to++ = std::byte{0};
    if (!is_missing) to = std::ranges::copy(members[i].value.value(), to).out;
  }
  *to++ = std::byte{0};
  const auto used = static_cast<std::size_t>(to - room.begin());
  wire::store_little(room.data(), static_cast<std::uint32_t>(used));
  const auto type = is_array ? bson_type::array : bson_type::document;
  return folded::constant(element{"", type, room.first(used)});
}

}  // namespace scattergate::routing
