#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// Whether a path has no special meaning in MongoDB: not empty, no leading `$`, not very long.
[[nodiscard]] bool is_plain_path(std::string_view path) noexcept;

/// A find's filter as the document that MongoDB hashes: each comparison with its operator, each
/// value replaced by one of its type, several comparisons under `$and` in their original order.
/// std::nullopt unless that is certain (query_shape_hash.hpp).
[[nodiscard]] std::optional<std::vector<std::byte>> shape_of_filter(const wire::element& given);

}  // namespace scattergate::routing
