#pragma once

#include <string_view>

namespace scattergate::sim {

/// What a table of (name, function) has under a name; null where it has none.
template <typename Table>
[[nodiscard]] auto find_function(const Table& functions, std::string_view name) noexcept ->
    typename Table::value_type::second_type {
  for (const auto& [known, function] : functions) {
    if (known == name) return function;
  }
  return nullptr;
}

}  // namespace scattergate::sim
