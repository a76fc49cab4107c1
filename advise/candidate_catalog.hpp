#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::advise {

/// What stands in a catalog beside the collection that is advised on: what its commands join,
/// and views of it; without chunks.
[[nodiscard]] std::vector<routing::collection> neighbours_of(
    const routing::catalog& present, wire::namespace_view name,
    std::span<const std::string> touched);

/// The present catalog, but for the one collection, which has this key, and a chunk on each
/// shard: `bounds` are where those behind the first begin (key_points::bounds()). Without
/// chunks where there are none. Null where the key isn't one that MongoDB takes.
[[nodiscard]] std::shared_ptr<const routing::catalog> catalog_with(
    const routing::catalog& present, wire::namespace_view name, const shard_key& key,
    std::span<const std::vector<std::byte>> bounds,
    std::span<const routing::collection> neighbours);

/// The collection that commands on `name` reach: a view's source.
[[nodiscard]] wire::namespace_view source_of(const routing::catalog& present,
                                             wire::namespace_view name) noexcept;

}  // namespace scattergate::advise
