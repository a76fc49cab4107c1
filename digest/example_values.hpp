#pragma once

#include <string>
#include <string_view>

namespace scattergate::digest {

/// Converts a shape (docs/shapes.md) to a mongosh command that explain accepts. Each
/// placeholder becomes an example value that is valid in its place (1 for a $limit, "_id_" for
/// a hint), followed by the placeholder as a comment. Keeps only the first statement of a
/// batch; adds an empty filter if there is none; defines undefined variables in a `let`.
[[nodiscard]] std::string with_values(std::string_view shape);

}  // namespace scattergate::digest
