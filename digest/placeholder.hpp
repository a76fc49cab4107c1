#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/bson_writer.hpp"

namespace scattergate::digest {

/// Converts the arguments in a shape (docs/shapes.md) to arguments that explain accepts, in
/// mongosh's syntax. Takes and returns a text without the outer braces.
/// - Each placeholder becomes an example value that is valid in its place, followed by the
///   placeholder as a comment: 1 for a $limit, "_id_" for a hint.
/// - Of a batch, only the first statement is kept.
/// - A statement without a filter gets an empty one.
/// - Undefined variables are defined in a `let`.
[[nodiscard]] std::string with_values(std::string_view shape);

/// Writes the field `name` with a made-up value in place of a shape's placeholder: "?number" →
/// a number. All placeholders: routing/shape/placeholder.hpp. A greater `rank` gives a greater
/// value, if the type's values are ordered. Returns false if no value can be made up. REQUIRES:
/// `rank` isn't negative.
[[nodiscard]] bool write_placeholder(std::string_view name, std::string_view placeholder,
                                     std::int32_t rank, wire::bson_writer& to);

}  // namespace scattergate::digest
