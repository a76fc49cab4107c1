#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// A path that MongoDB reads as nothing else: not empty, no `$` at its head, not very long.
[[nodiscard]] bool is_plain_path(std::string_view path) noexcept;

/// A find's filter as the document that MongoDB hashes: each comparison with its operator, a
/// value of the type in place of its own, several under `$and` in the order in which they came.
/// Nothing unless that is certain (query_shape_hash.hpp).
[[nodiscard]] std::optional<std::vector<std::byte>> shape_of_filter(const wire::element& given);

}  // namespace scattergate::routing
