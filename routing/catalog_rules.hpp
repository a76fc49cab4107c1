#pragma once

#include <optional>
#include <string>

#include "routing/catalog.hpp"

namespace scattergate::routing {

/// What is wrong with an entry by itself (its namespace, its key), in words, or nothing.
[[nodiscard]] std::optional<std::string> problem_of(const collection& entry);

}  // namespace scattergate::routing
