#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::digest {

/// Converts a filter of $queryStats to the form that applications write, with equal meaning.
/// MongoDB has parsed and serialised it (mongo: matcher/expression_*.cpp, serialize()): several
/// fields have become an $and, {a: 1} {a: {$eq: ...}}, $ne and $nin a $not, {$exists: false}
/// {$not: {$exists: ...}}. An application's own $and can't be told from several fields. Keeps
/// placeholders. Returns std::nullopt if the filter is invalid or nested too deep.
[[nodiscard]] std::optional<std::vector<std::byte>> plain_filter(wire::document_view parsed);

}  // namespace scattergate::digest
