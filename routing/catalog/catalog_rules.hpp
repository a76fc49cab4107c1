#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// The name prefix of collections with time series' buckets.
inline constexpr std::string_view buckets_prefix = "system.buckets.";

/// A message if an entry's namespace or key is invalid; std::nullopt otherwise.
[[nodiscard]] std::optional<std::string> problem_of(const collection& entry);

}  // namespace scattergate::routing
