#pragma once

#include <string_view>

#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// Says why, or for which commands, scattergate may not know the routing rules of this mongos
/// version. Verdicts may then predict more shards than mongos asks. The text completes a
/// sentence that begins with the version: "is later than the sources that were examined".
/// Empty if all rules are known from recordings of this version or from its sources.
[[nodiscard]] std::string_view doubt_of(server_version version) noexcept;

/// Names the unknown routing rules of this mongos version that concern time series. The text
/// completes a sentence that begins with the version, as that of doubt_of() does. Empty if all
/// are known, or if doubt_of() covers them.
[[nodiscard]] std::string_view doubt_of_series(server_version version) noexcept;

}  // namespace scattergate::routing
