#pragma once

#include <string>
#include <string_view>

namespace scattergate::digest {

/// The inside of a shape (docs/shapes.md) as mongosh takes it: each placeholder is a value of
/// its type, the placeholder beside it as a comment. The values are such that MongoDB accepts
/// them where they stand: 1 for a $limit, "_id_" for a hint. Of a batch the first statement
/// alone is there, as explain wants it; one without a filter has an empty one. Variables that
/// nothing in the shape defines stand in a `let`.
[[nodiscard]] std::string with_values(std::string_view shape);

}  // namespace scattergate::digest
