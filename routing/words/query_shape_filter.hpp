#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// Whether a path may occur in a command for which scattergate computes a queryShapeHash: it
/// isn't empty, doesn't begin with `$`, and has at most 255 bytes.
[[nodiscard]] bool is_plain_path(std::string_view path) noexcept;

/// Converts a find's filter to the document that MongoDB hashes for a queryShapeHash. Every
/// comparison has its operator ({a: 1} becomes {a: {$eq: 1}}), every value is replaced by a
/// fixed one of its type, and several comparisons are in an `$and`, in their original order.
/// std::nullopt if the result isn't certain (query_shape_hash.hpp), or for more than 64
/// comparisons.
[[nodiscard]] std::optional<std::vector<std::byte>> shape_of_filter(const wire::element& given);

}  // namespace scattergate::routing
