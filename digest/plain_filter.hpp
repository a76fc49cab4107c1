#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::digest {

/// Converts a filter of $queryStats, which MongoDB has parsed and serialised (mongo:
/// matcher/expression_*.cpp, serialize()), back into the usual form with the same meaning. In a
/// serialised filter several fields are an $and, {a: 1} is {a: {$eq: ...}}, $ne and $nin are a
/// $not, {$exists: false} is {$not: {$exists: ...}}. An application's own $and looks the same
/// as several fields. Placeholders are kept. Nothing if the filter is nested too deep or
/// invalid.
[[nodiscard]] std::optional<std::vector<std::byte>> plain_filter(wire::document_view parsed);

}  // namespace scattergate::digest
