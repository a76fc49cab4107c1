#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// How the names of the collections begin that hold a time-series collection's documents.
inline constexpr std::string_view buckets_prefix = "system.buckets.";

/// What is wrong with an entry by itself (its namespace, its key), in words, or nothing.
[[nodiscard]] std::optional<std::string> problem_of(const collection& entry);

}  // namespace scattergate::routing
