#pragma once

#include <string>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The literal text with which every match of an anchored regular expression begins, if mongos
/// detects it; otherwise empty (mongo: IndexBoundsBuilder::simpleRegex).
[[nodiscard]] std::string literal_prefix(const regex& pattern);

}  // namespace scattergate::sim
