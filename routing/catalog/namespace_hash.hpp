#pragma once

#include <cstddef>
#include <string_view>

#include "wire/seeded_hash.hpp"

namespace scattergate::routing {

/// Where the catalog's index looks for a namespace. Within one process only.
[[nodiscard]] inline std::size_t namespace_hash(std::string_view database,
                                                std::string_view name) noexcept {
  return wire::seeded_hash(name, wire::seeded_hash(database));
}

}  // namespace scattergate::routing
