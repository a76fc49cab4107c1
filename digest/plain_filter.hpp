#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::digest {

/// A filter as applications write it, of one as $queryStats tells it, where MongoDB has parsed
/// it and written it down again (mongo: matcher/expression_*.cpp, serialize()): several fields
/// come there as an $and, {a: 1} as {a: {$eq: ...}}, $ne and $nin as $not, {$exists: false} as
/// {$not: {$exists: ...}}. Both mean the same; an $and of an application's own can't be told
/// from several fields. Placeholders stay. Nothing where it is nested too deep, or broken.
[[nodiscard]] std::optional<std::vector<std::byte>> plain_filter(wire::document_view parsed);

}  // namespace scattergate::digest
