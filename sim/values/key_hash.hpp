#pragma once

#include <cstdint>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The hash of a value in a hashed shard key: MD5 over the type's rank and a canonical form of
/// the value (mongo: hasher.cpp, BSONElementHasher with seed 0).
[[nodiscard]] std::int64_t key_hash(const value& content);

}  // namespace scattergate::sim
