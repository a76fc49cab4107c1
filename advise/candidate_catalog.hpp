#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::advise {

/// The catalog entries beside the collection under evaluation that its commands need:
/// collections that they join, and its views; without chunks.
[[nodiscard]] std::vector<routing::collection> neighbours_of(
    const routing::catalog& present, wire::namespace_view name,
    std::span<const std::string> touched);

/// The present catalog, with `key` as this collection's shard key and one chunk per shard.
/// `bounds`: the lower bounds of all chunks but the first (key_points::bounds()); empty: no
/// chunks. Null if MongoDB wouldn't accept the key.
[[nodiscard]] std::shared_ptr<const routing::catalog> catalog_with(
    const routing::catalog& present, wire::namespace_view name, const shard_key& key,
    std::span<const std::vector<std::byte>> bounds,
    std::span<const routing::collection> neighbours);

/// The collection that commands on `name` reach: the source if it is a view.
[[nodiscard]] wire::namespace_view source_of(const routing::catalog& present,
                                             wire::namespace_view name) noexcept;

}  // namespace scattergate::advise
