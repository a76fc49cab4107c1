#pragma once

#include <cstdint>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The hash that places a value on a hashed shard key (mongo: hasher.cpp, BSONElementHasher
/// with seed 0): MD5 over the type's rank and a normal form of the value.
[[nodiscard]] std::int64_t key_hash(const value& content);

}  // namespace scattergate::sim
