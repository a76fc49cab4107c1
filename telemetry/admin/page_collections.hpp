#pragma once

#include <string>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Appends the collections as an HTML table, those with the most wasted requests first.
void append_collections(std::string& html, const live_digest::view& all);

}  // namespace scattergate::telemetry
