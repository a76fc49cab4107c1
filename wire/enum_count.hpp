#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace scattergate::wire {

/// Whether `Value` is a declared enumerator. Relies on g++ and clang++ printing an undeclared
/// value as "(type)7".
template <auto Value>
[[nodiscard]] consteval bool is_enumerator() {
  constexpr std::string_view shown = __PRETTY_FUNCTION__;
  constexpr std::size_t cast = shown.rfind(')');
  static_assert(shown.ends_with(']'), "another compiler: it has a form of its own");
  return cast < shown.find("Value = ") || cast == shown.npos || shown[cast + 1] == ':';
}

/// The largest value of an enum plus one, which is the size of a table indexed by the enum.
/// REQUIRES: the smallest value is `First`, and the values have no gaps.
template <typename Enum, std::size_t First = 0>
[[nodiscard]] consteval std::size_t enum_count() {
  if constexpr (is_enumerator<static_cast<Enum>(First)>()) {
    return enum_count<Enum, First + 1>();
  } else {
    return First;
  }
}

/// Whether `table` has exactly one row for each value of an enum that starts at 0, in the
/// enum's order. `value`: the member of a row that has the enum value.
template <typename Row, std::size_t Rows, typename Enum>
[[nodiscard]] consteval bool has_each_in_order(const std::array<Row, Rows>& table,
                                               Enum Row::*value) {
  for (std::size_t i = 0; i < Rows; ++i) {
    if (static_cast<std::size_t>(table[i].*value) != i) return false;
  }
  return Rows == enum_count<Enum>();
}

}  // namespace scattergate::wire
