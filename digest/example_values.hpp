#pragma once

#include <string>
#include <string_view>

namespace scattergate::digest {

/// Turns a shape's content (docs/shapes.md) into mongosh syntax: each placeholder becomes a
/// value of its type, with the placeholder as a comment. The values are valid where they stand:
/// 1 for a $limit, "_id_" for a hint. Of a batch only the first statement is kept, as explain
/// requires; a missing filter becomes an empty one. Undefined variables are defined in a `let`.
[[nodiscard]] std::string with_values(std::string_view shape);

}  // namespace scattergate::digest
