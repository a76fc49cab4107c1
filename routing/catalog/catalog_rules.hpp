#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// The name prefix of collections that contain a time series' buckets.
inline constexpr std::string_view buckets_prefix = "system.buckets.";

/// Checks an entry's namespace and key. Returns a message if one is invalid; std::nullopt
/// otherwise.
[[nodiscard]] std::optional<std::string> problem_of(const collection& entry);

}  // namespace scattergate::routing
