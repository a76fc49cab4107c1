#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "digest/row.hpp"

namespace scattergate::digest {

/// No more fields of one shape are named.
inline constexpr std::size_t max_filter_fields = 32;

/// The fields that a shape's filter queries, each once, in the order of the shape: of its
/// filter or query, of the $match stages that a pipeline begins with, of the statements of a
/// batch. Dotted paths are kept; $and, $or, $nor, $elemMatch, $not and the field paths of $expr
/// are looked into. Empty where the shape isn't known. Allocates.
[[nodiscard]] std::vector<std::string> filter_fields(const row& of);

}  // namespace scattergate::digest
