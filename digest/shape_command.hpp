#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "digest/row.hpp"
#include "wire/bson.hpp"

namespace scattergate::digest {

/// Makes up a command, with `$db`, from a shape of $queryStats (`key.queryShape`; mongo:
/// db/query/query_shape). Filters get the form that applications write (plain_filter()). Each
/// placeholder becomes a value of its type, chosen so that the verdict is never narrower than
/// the verdict of any command with this shape:
/// - values in an $and don't contradict each other, because otherwise nothing would match;
/// - branches of an $or have different values, and a list has several values;
/// - a list of mixed types has a regular expression;
/// - variables of `let` get "$$NOW", a value that is unknown before execution;
/// - the documents of an insert are omitted.
///
/// Returns std::nullopt if a type is unknown or the shape is incomplete.
[[nodiscard]] std::optional<std::vector<std::byte>> command_of_shape(wire::document_view shape);

/// Makes up a command with the row's shape (docs/shapes.md). An insert gets an empty document.
/// Returns std::nullopt if the made-up command wouldn't show how the row's commands are routed:
/// the shape is unknown or incomplete, or the command is a getMore or a batch of writes to
/// several collections.
[[nodiscard]] std::optional<std::vector<std::byte>> command_of_row(const row& of);

}  // namespace scattergate::digest
