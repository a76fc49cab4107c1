#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::digest {

/// Converts a filter of $queryStats to an equivalent filter as applications write it. MongoDB
/// has parsed and serialised the filter (mongo: matcher/expression_*.cpp, serialize()); this
/// function does the reverse:
/// - {$and: [{a: {$eq: 1}}, {b: {$eq: 2}}]} → {a: 1, b: 2}, even if the application wrote an
///   $and;
/// - {a: {$not: {$eq: 1}}} → {a: {$ne: 1}}, and the same for $nin and {$exists: false}.
/// Keeps placeholders. Returns std::nullopt if the filter is invalid or nested too deep.
[[nodiscard]] std::optional<std::vector<std::byte>> plain_filter(wire::document_view parsed);

}  // namespace scattergate::digest
