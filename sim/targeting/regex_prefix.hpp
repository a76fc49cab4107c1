#pragma once

#include <string>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The literal text that every match of an anchored regular expression begins with, as far as
/// mongos sees it; empty where there is none (mongo: IndexBoundsBuilder::simpleRegex).
[[nodiscard]] std::string literal_prefix(const regex& pattern);

}  // namespace scattergate::sim
