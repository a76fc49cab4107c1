#pragma once

#include <string>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// Returns the literal text with which every match of an anchored regular expression begins:
/// "abc" for /^abc.*/. Empty if mongos detects none (mongo: IndexBoundsBuilder::simpleRegex).
[[nodiscard]] std::string literal_prefix(const regex& pattern);

}  // namespace scattergate::sim
