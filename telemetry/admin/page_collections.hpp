#pragma once

#include <string>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Appends an HTML table of at most 200 collections, those with the most wasted shard requests
/// first, and the sums over all collections. A wasted shard request is one beyond the first of
/// a command.
void append_collections(std::string& html, const live_digest::view& all);

}  // namespace scattergate::telemetry
