#pragma once

#include <span>

#include "routing/catalog/chunk_map.hpp"
#include "routing/keys/interval.hpp"

namespace scattergate::routing {

/// Adds the owners of every chunk that overlaps the bounds of a whole key. Builds ranges as
/// mongos does: the first field that isn't a single point gives one range per interval, and
/// later fields only move the ends (mongo: shard_key_pattern_query_util.cpp, flattenBounds).
/// False if the scratch memory is exhausted; then nothing was added. REQUIRES: no set is empty.
/// `with_end`: a range that begins with MaxKey in all fields, where the last chunk ends,
/// belongs to the last chunk.
[[nodiscard]] bool add_owners_of(std::span<const interval_set> fields, const chunk_map& chunks,
                                 bool with_end, shard_set& to, scratch& memory) noexcept;

/// Whether a whole key is MaxKey in all of its fields.
[[nodiscard]] bool is_end_of_all(bytes_view key, std::size_t fields) noexcept;

/// The key formed by sets of one point each; empty if the scratch memory is exhausted.
[[nodiscard]] bytes_view point_of(std::span<const interval_set> fields,
                                  scratch& memory) noexcept;

}  // namespace scattergate::routing
