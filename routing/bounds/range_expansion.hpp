#pragma once

#include <span>

#include "routing/catalog/chunk_map.hpp"
#include "routing/keys/interval.hpp"

namespace scattergate::routing {

/// Adds to `to` the shards that own chunks within the bounds of a key. `fields`: the bounds of
/// each key field. Expands the bounds to ranges of keys as mongos does: the first field that
/// isn't a single point gives one range per interval. Later fields only move the ranges' ends
/// (mongo: shard_key_pattern_query_util.cpp, flattenBounds). Example: range_expansion.cpp.
///
/// `with_end`: whether the last chunk contains the key whose fields are all MaxKey. Returns
/// false, and adds nothing, if the scratch memory is exhausted. REQUIRES: no set of `fields` is
/// empty.
[[nodiscard]] bool add_owners_of(std::span<const interval_set> fields, const chunk_map& chunks,
                                 bool with_end, shard_set& to, scratch& memory) noexcept;

/// Whether all fields of an encoded key are MaxKey. `fields`: the number of fields.
[[nodiscard]] bool is_end_of_all(bytes_view key, std::size_t fields) noexcept;

/// The encoded key whose fields are the single points of `fields`; empty if the scratch memory
/// is exhausted. REQUIRES: each set is one point.
[[nodiscard]] bytes_view point_of(std::span<const interval_set> fields,
                                  scratch& memory) noexcept;

}  // namespace scattergate::routing
