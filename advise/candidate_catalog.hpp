#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::advise {

/// The entries that catalog_with() needs besides the entry of the collection `name`: those of
/// all views on it, and of the collections in `touched` ("db.collection"), which its commands
/// join. The entries have no chunks.
[[nodiscard]] std::vector<routing::collection> neighbours_of(
    const routing::catalog& present, wire::namespace_view name,
    std::span<const std::string> touched);

/// A catalog for trying a key. It contains the collection `name` with the shard key `key`, and
/// the entries `neighbours` (see neighbours_of()). Each shard has one chunk of the collection;
/// `bounds` are the lower bounds of all chunks but the first (see key_points::bounds()). Empty
/// `bounds`: no chunks. An empty `key`: the collection isn't sharded. The version and the
/// policy for other namespaces are those of `present`. Returns null if MongoDB wouldn't accept
/// the key.
[[nodiscard]] std::shared_ptr<const routing::catalog> catalog_with(
    const routing::catalog& present, wire::namespace_view name, const shard_key& key,
    std::span<const std::vector<std::byte>> bounds,
    std::span<const routing::collection> neighbours);

/// The collection that a command on `name` reads. For a view: the collection at the end of its
/// chain of views. Otherwise: `name` itself.
[[nodiscard]] wire::namespace_view source_of(const routing::catalog& present,
                                             wire::namespace_view name) noexcept;

}  // namespace scattergate::advise
