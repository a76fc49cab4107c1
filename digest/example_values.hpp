#pragma once

#include <string>
#include <string_view>

namespace scattergate::digest {

/// Converts the arguments in a shape (docs/shapes.md) to arguments that explain accepts, in
/// mongosh's syntax. Takes and returns a text without the outer braces.
/// - Each placeholder becomes an example value that is valid in its place, followed by the
///   placeholder as a comment: 1 for a $limit, "_id_" for a hint.
/// - Of a batch, only the first statement is kept.
/// - A statement without a filter gets an empty one.
/// - Undefined variables are defined in a `let`.
[[nodiscard]] std::string with_values(std::string_view shape);

}  // namespace scattergate::digest
