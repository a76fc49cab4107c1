#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "digest/row.hpp"

namespace scattergate::digest {

/// The maximum number of fields that filter_fields() returns.
inline constexpr std::size_t max_filter_fields = 32;

/// Lists the fields that the filters of a row's shape name, as dotted paths without duplicates:
/// {a: 1, $or: [{"b.c": 2}]} → "a", "b.c". Covers the command's own filter, the leading $match
/// stages of a pipeline, and the filters of a batch's statements. Looks into $and, $or, $nor,
/// $not, $elemMatch and $expr. Empty if the shape is unknown. Allocates.
[[nodiscard]] std::vector<std::string> filter_fields(const row& of);

}  // namespace scattergate::digest
