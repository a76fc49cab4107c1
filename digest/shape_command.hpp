#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "digest/row.hpp"
#include "wire/bson.hpp"

namespace scattergate::digest {

/// Makes a command from a shape of $queryStats (`key.queryShape`; mongo:
/// db/query/query_shape), with `$db`. The filter has its usual form. Each placeholder becomes a
/// value of its type, chosen so that the verdict is never narrower than for any command with
/// this shape:
/// - values in an $and don't contradict each other, as nothing would match then;
/// - branches of an $or have different values, and a list has several;
/// - a list of mixed types has a regular expression;
/// - variables of `let` stay undefined;
/// - the documents of an insert are omitted.
/// Nothing if it is impossible: a value of an unknown type, an incomplete shape.
[[nodiscard]] std::optional<std::vector<std::byte>> command_of_shape(wire::document_view shape);

/// Makes a command with the row's shape (docs/shapes.md). Nothing if such a command doesn't
/// show how the row's commands are routed: the shape is unknown or incomplete, a getMore, a
/// batch of writes to several collections. An insert's document is empty.
[[nodiscard]] std::optional<std::vector<std::byte>> command_of_row(const row& of);

}  // namespace scattergate::digest
