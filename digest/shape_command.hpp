#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "digest/row.hpp"
#include "wire/bson.hpp"

namespace scattergate::digest {

/// Makes up a command, with `$db`, from a shape of $queryStats (`key.queryShape`; mongo:
/// db/query/query_shape). Writes filters as applications write them (plain_filter()). Each
/// placeholder becomes a value of its type. The values are chosen so that the verdict never
/// has fewer shards than any command with this shape would ask:
/// - values in an $and don't contradict each other, because otherwise nothing would match;
/// - branches of an $or have different values, and a list has several values;
/// - a list of mixed types has a regular expression;
/// - variables of `let` get "$$NOW", a value that is unknown before execution;
/// - the documents of an insert are omitted.
///
/// Returns std::nullopt if a placeholder's type is unknown or the shape is incomplete.
[[nodiscard]] std::optional<std::vector<std::byte>> command_of_shape(wire::document_view shape);

/// Makes up a command with the row's shape (docs/shapes.md) and with values as
/// command_of_shape() chooses them. An insert gets one empty document. Returns std::nullopt in
/// these cases:
/// - the shape is unknown or incomplete;
/// - the shape doesn't determine the routing: a getMore, or a batch of writes to several
///   collections.
[[nodiscard]] std::optional<std::vector<std::byte>> command_of_row(const row& of);

}  // namespace scattergate::digest
