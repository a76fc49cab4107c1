#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// The prefix of the names of collections that hold a time-series collection's buckets.
inline constexpr std::string_view buckets_prefix = "system.buckets.";

/// What is wrong with an entry's namespace or key, in words; std::nullopt if nothing is.
[[nodiscard]] std::optional<std::string> problem_of(const collection& entry);

}  // namespace scattergate::routing
