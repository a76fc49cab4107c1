#pragma once

#include <string>
#include <string_view>

namespace scattergate::digest {

/// The inside of a shape (docs/shapes.md) as mongosh takes it: each placeholder is a value of
/// its type, the placeholder beside it as a comment. The values are such that MongoDB accepts
/// them where they stand: 1 for a $limit, "_id_" for a hint. A statement without a filter has
/// an empty one.
[[nodiscard]] std::string with_values(std::string_view shape);

}  // namespace scattergate::digest
