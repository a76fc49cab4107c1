#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// Whether a path is plain: not empty, without a leading `$`, not very long.
[[nodiscard]] bool is_plain_path(std::string_view path) noexcept;

/// Converts a find's filter to the document that MongoDB hashes: each comparison has its
/// operator, each value is replaced by one of its type, and several comparisons are under
/// `$and` in their original order. std::nullopt unless the result is certain
/// (query_shape_hash.hpp).
[[nodiscard]] std::optional<std::vector<std::byte>> shape_of_filter(const wire::element& given);

}  // namespace scattergate::routing
