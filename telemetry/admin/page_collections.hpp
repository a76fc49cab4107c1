#pragma once

#include <string>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Appends an HTML table of the first 200 collections, sorted by wasted shard requests (those
/// beyond one per command), and the sums over all collections.
void append_collections(std::string& html, const live_digest::view& all);

}  // namespace scattergate::telemetry
