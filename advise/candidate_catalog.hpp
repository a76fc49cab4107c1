#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::advise {

/// The catalog entries that are needed to judge the commands on the collection `name`, besides
/// its own entry: the entries for the views on it, and for the collections `touched`, which
/// the commands join ("db.collection"). The entries have no chunks.
[[nodiscard]] std::vector<routing::collection> neighbours_of(
    const routing::catalog& present, wire::namespace_view name,
    std::span<const std::string> touched);

/// A catalog for trying a key: it contains the collection `name` with the shard key `key` and
/// one chunk per shard, and the entries `neighbours`. The version and the policy for other
/// namespaces are those of `present`. An empty `key` means that the collection isn't sharded.
/// `bounds`: the lower bounds of all chunks but the first (see key_points::bounds()); empty: no
/// chunks. Null if MongoDB wouldn't accept the key.
[[nodiscard]] std::shared_ptr<const routing::catalog> catalog_with(
    const routing::catalog& present, wire::namespace_view name, const shard_key& key,
    std::span<const std::vector<std::byte>> bounds,
    std::span<const routing::collection> neighbours);

/// The collection that `name` reads: for a view the collection at the end of its chain of
/// views, otherwise `name` itself.
[[nodiscard]] wire::namespace_view source_of(const routing::catalog& present,
                                             wire::namespace_view name) noexcept;

}  // namespace scattergate::advise
