#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::digest {

/// Converts a filter of $queryStats to the form that applications write, with equal meaning.
/// MongoDB has parsed and serialised the filter (mongo: matcher/expression_*.cpp, serialize()):
/// several fields became an $and; {a: 1} became {a: {$eq: 1}}; $ne and $nin became a $not, and
/// {$exists: false} became {$not: {$exists: true}}. An application's own $and can't be
/// distinguished from several fields. Keeps placeholders. Returns std::nullopt if the filter is
/// invalid or nested too deep.
[[nodiscard]] std::optional<std::vector<std::byte>> plain_filter(wire::document_view parsed);

}  // namespace scattergate::digest
