#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "digest/row.hpp"
#include "wire/bson.hpp"

namespace scattergate::digest {

/// A command of the shape that $queryStats tells (`key.queryShape`; mongo:
/// db/query/query_shape), with `$db`. The filter is as applications write it, and where a
/// placeholder stands is some value of its type, chosen so that judging the command never takes
/// it for narrower than one that had this shape:
/// - one value and another of an $and don't contradict each other, as then nothing would match;
/// - branches of an $or have different values, and a list has several;
/// - a list of mixed types has a regular expression;
/// - what a variable of `let` stands for is left open;
/// - the documents of an insert are left out.
/// Nothing where it can't be made: a value of no known type, a shape that isn't whole.
[[nodiscard]] std::optional<std::vector<std::byte>> command_of_shape(wire::document_view shape);

/// A command that has the row's shape (docs/shapes.md). Nothing where such a command doesn't
/// show how the row's commands are routed: the shape isn't known or isn't whole, a getMore, a
/// batch of writes to several collections. An insert's document is empty.
[[nodiscard]] std::optional<std::vector<std::byte>> command_of_row(const row& of);

}  // namespace scattergate::digest
