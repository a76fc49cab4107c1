#pragma once

#include <string_view>

namespace scattergate::sim {

/// The function with this name in a table of pairs (name, function); null if there is none.
template <typename Table>
[[nodiscard]] auto find_function(const Table& functions, std::string_view name) noexcept ->
    typename Table::value_type::second_type {
  for (const auto& [known, function] : functions) {
    if (known == name) return function;
  }
  return nullptr;
}

}  // namespace scattergate::sim
