#pragma once

#include <string_view>

#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// The unknown rules of routing in this version of mongos, because of which verdicts are wider
/// than necessary. The rest of a sentence that begins with the version. Empty if all rules were
/// recorded from this version or read in its sources.
[[nodiscard]] std::string_view doubt_of(server_version version) noexcept;

/// The unknown rules of routing on time series in this version of mongos. The rest of a
/// sentence that begins with the version; empty if everything is known.
[[nodiscard]] std::string_view doubt_of_series(server_version version) noexcept;

}  // namespace scattergate::routing
