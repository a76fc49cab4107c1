#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "digest/row.hpp"

namespace scattergate::digest {

/// Limit for the listed fields of a shape.
inline constexpr std::size_t max_filter_fields = 32;

/// The fields that a shape's filter queries, without duplicates, in the shape's order: of its
/// filter or query, of a pipeline's leading $match stages, of a batch's statements. Dotted
/// paths are kept; the fields inside $and, $or, $nor, $elemMatch, $not and of $expr's field
/// paths are included. Empty if the shape is unknown. Allocates.
[[nodiscard]] std::vector<std::string> filter_fields(const row& of);

}  // namespace scattergate::digest
