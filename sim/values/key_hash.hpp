#pragma once

#include <cstdint>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The hash of a value for a hashed shard key (mongo: hasher.cpp, BSONElementHasher with seed
/// 0): MD5 of the type's rank and a canonical form of the value.
[[nodiscard]] std::int64_t key_hash(const value& content);

}  // namespace scattergate::sim
