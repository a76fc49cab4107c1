#pragma once

#include <string_view>

#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// What isn't known of how mongos of this version routes, so that verdicts have the wider
/// answer there: a sentence that goes on behind the version; empty where all that we judge was
/// recorded of it, or read in its sources.
[[nodiscard]] std::string_view doubt_of(server_version version) noexcept;

}  // namespace scattergate::routing
