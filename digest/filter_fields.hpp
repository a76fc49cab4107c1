#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "digest/row.hpp"

namespace scattergate::digest {

/// The maximum number of fields that filter_fields() returns.
inline constexpr std::size_t max_filter_fields = 32;

/// The dotted paths that the filters in a row's shape query, in order, without duplicates.
/// Reads the command's filter or query, a pipeline's leading $match stages and the filters of
/// a batch's statements, including $and, $or, $nor, $elemMatch, $not and the field paths in
/// $expr. Empty if the shape is unknown. Allocates.
[[nodiscard]] std::vector<std::string> filter_fields(const row& of);

}  // namespace scattergate::digest
