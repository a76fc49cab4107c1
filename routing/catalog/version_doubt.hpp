#pragma once

#include <string_view>

#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// Names the routing rules of this mongos version that scattergate doesn't know, so that
/// verdicts are wider than necessary. The text completes a sentence that begins with the
/// version. Empty if all rules are known from recordings of this version or from its sources.
[[nodiscard]] std::string_view doubt_of(server_version version) noexcept;

/// Same as doubt_of(), for the rules that concern time series.
[[nodiscard]] std::string_view doubt_of_series(server_version version) noexcept;

}  // namespace scattergate::routing
