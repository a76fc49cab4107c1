#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "routing/catalog/catalog.hpp"

namespace scattergate::bench {

/// Database `bench`: `ranged` {k: 1} in 300 chunks split at ObjectIds, `hashed` {k: "hashed"}
/// in 300 chunks. Database `yorkie-meta`: documents, clients and changes by Yorkie's keys, in
/// 100 chunks each. Three shards.
[[nodiscard]] const routing::catalog& common_catalog();

/// `large` is split at numbers below this.
inline constexpr std::size_t largest_value = 1'000'000;

/// Database `bench`: `large` {k: 1} in this many equal chunks on twelve shards.
[[nodiscard]] const routing::catalog& large_catalog(std::size_t chunks);

/// Database `bench`: this many collections, including `ranged` {k: 1}, without chunks.
[[nodiscard]] const routing::catalog& wide_catalog(std::size_t collections);

/// The start of the i-th of `count` equal ranges of all ObjectIds, as Extended JSON.
[[nodiscard]] std::string object_id_at(std::size_t i, std::size_t count);

/// Any ObjectId, as Extended JSON.
[[nodiscard]] std::string any_object_id(std::mt19937_64& random);

}  // namespace scattergate::bench
