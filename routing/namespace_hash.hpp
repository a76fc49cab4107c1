#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace scattergate::routing {

/// Where the catalog's index looks for a namespace. Within one process only.
[[nodiscard]] inline std::size_t namespace_hash(std::string_view database,
                                                std::string_view name) noexcept {
  const std::hash<std::string_view> hash;
  const std::size_t first = hash(database);
  return hash(name) ^ ((first << 1U) | (first >> (8 * sizeof first - 1)));
}

}  // namespace scattergate::routing
