#pragma once

#include <array>
#include <cstddef>
#include <optional>
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

/// An enum value and its label.
template <typename Enum>
struct labelled {
  Enum value;
  std::string_view label;
};

/// A table of the labels (names in output) of an enum. The enum's first value is `First`, and
/// its values have no gaps. The table compiles only if it has a row for each value, in the
/// enum's order:
///
///     constexpr wire::label_table<colour> labels{{
///         {colour::red, "red"},
///         {colour::blue, "blue"},
///     }};
///
/// Thread-safety: immutable.
template <typename Enum, std::size_t First = 0>
class label_table {
 public:
  /// The number of rows.
  static constexpr std::size_t rows = enum_count<Enum, First>() - First;

  consteval explicit label_table(const labelled<Enum> (&table)[rows]) {
    for (std::size_t i = 0; i < rows; ++i) {
      const bool is_in_order = static_cast<std::size_t>(table[i].value) == First + i;
      if (!is_in_order) throw "not in the enum's order";  // fails the compilation
      labels_[i] = table[i].label;
    }
  }

  /// The label of a value; empty if it isn't an enumerator.
  [[nodiscard]] constexpr std::string_view operator[](Enum value) const noexcept {
    const std::size_t row = static_cast<std::size_t>(value) - First;
    return row < rows ? labels_[row] : std::string_view{};
  }

  /// The value with this label; std::nullopt if there is none.
  [[nodiscard]] constexpr std::optional<Enum> find(std::string_view label) const noexcept {
    for (std::size_t row = 0; row < rows; ++row) {
      if (labels_[row] == label) return static_cast<Enum>(First + row);
    }
    return std::nullopt;
  }

 private:
  std::array<std::string_view, rows> labels_;
};

}  // namespace scattergate::wire
