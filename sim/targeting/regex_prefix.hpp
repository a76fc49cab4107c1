#pragma once

#include <string>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The literal text that mongos detects at the beginning of an anchored regular expression,
/// such as "abc" of /^abc.*/; every match begins with the text. Empty if mongos detects none
/// (mongo: IndexBoundsBuilder::simpleRegex).
[[nodiscard]] std::string literal_prefix(const regex& pattern);

}  // namespace scattergate::sim
