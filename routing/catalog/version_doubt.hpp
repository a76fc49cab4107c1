#pragma once

#include <string_view>

#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// What isn't known about how mongos of this version routes, so that verdicts give the wider
/// answer there: the rest of a sentence that begins with the version. Empty if all rules were
/// recorded from this version or read in its sources.
[[nodiscard]] std::string_view doubt_of(server_version version) noexcept;

/// What isn't known about how mongos of this version routes commands on time series, in the
/// form of doubt_of().
[[nodiscard]] std::string_view doubt_of_series(server_version version) noexcept;

}  // namespace scattergate::routing
