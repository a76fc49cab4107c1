#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "routing/catalog/catalog.hpp"

namespace scattergate::bench {

/// The catalog of most cases, with three shards. Database `bench`: `ranged` with the key {k:
/// 1}, in 300 chunks split at ObjectIds; `hashed` with the key {k: "hashed"}, in 300 chunks.
/// Database `yorkie-meta`: the collections documents, clients and changes of the application
/// Yorkie, with its shard keys, in 100 chunks each.
[[nodiscard]] const routing::catalog& common_catalog();

/// The upper limit of the numbers at which large_catalog() splits chunks.
inline constexpr std::size_t largest_value = 1'000'000;

/// A catalog with one collection in the database `bench`: `large` with the key {k: 1}, in
/// `chunks` equal chunks on twelve shards.
[[nodiscard]] const routing::catalog& large_catalog(std::size_t chunks);

/// A catalog with `collections` collections in the database `bench`, without chunks; one of
/// them is `ranged` with the key {k: 1}.
[[nodiscard]] const routing::catalog& wide_catalog(std::size_t collections);

/// The start of the i-th (from 0) of `count` equal ranges of all ObjectIds, as Extended JSON.
[[nodiscard]] std::string object_id_at(std::size_t i, std::size_t count);

/// A random ObjectId, as Extended JSON.
[[nodiscard]] std::string any_object_id(std::mt19937_64& random);

}  // namespace scattergate::bench
