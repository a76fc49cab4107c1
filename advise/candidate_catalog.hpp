#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::advise {

/// The further catalog entries, without chunks, that judging a collection's commands needs: the
/// collections that they join, and the views of `name`.
[[nodiscard]] std::vector<routing::collection> neighbours_of(
    const routing::catalog& present, wire::namespace_view name,
    std::span<const std::string> touched);

/// A copy of the present catalog in which `key` is the shard key of `name`, with one chunk per
/// shard. `bounds`: the lower bounds of all chunks but the first (see key_points::bounds());
/// empty: no chunks. Null if MongoDB wouldn't accept the key.
[[nodiscard]] std::shared_ptr<const routing::catalog> catalog_with(
    const routing::catalog& present, wire::namespace_view name, const shard_key& key,
    std::span<const std::vector<std::byte>> bounds,
    std::span<const routing::collection> neighbours);

/// The collection behind `name`: the source of a view, otherwise `name` itself.
[[nodiscard]] wire::namespace_view source_of(const routing::catalog& present,
                                             wire::namespace_view name) noexcept;

}  // namespace scattergate::advise
