#pragma once

#include <cstdint>
#include <optional>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// The hash of a value in MongoDB's hashed indexes and hashed shard keys (mongo: db/hasher.cpp,
/// seed 0). std::nullopt if the value is corrupt or nested beyond wire::limits::inspect_depth.
[[nodiscard]] std::optional<std::int64_t> hash_of(const wire::element& value) noexcept;

/// The hash of null and of a missing field.
[[nodiscard]] std::int64_t hash_of_null() noexcept;

}  // namespace scattergate::routing
