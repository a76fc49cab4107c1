#pragma once

#include <string>
#include <string_view>

namespace scattergate::digest {

/// Converts the arguments in a shape (docs/shapes.md) to arguments in mongosh's syntax that
/// explain accepts. `shape`: the shape's text without the outer braces. Each placeholder
/// becomes an example value that is valid in its place (1 for a $limit, "_id_" for a hint),
/// followed by the placeholder as a comment. Keeps only the first statement of a batch, adds
/// an empty filter to a statement without one, and defines undefined variables in a `let`.
[[nodiscard]] std::string with_values(std::string_view shape);

}  // namespace scattergate::digest
