#pragma once

#include "digest/row.hpp"

/// Decides whether a row is a finding if nothing but the row is known. In a running daemon,
/// rules decide for each command (proxy/policy.hpp), and shape_kind.hpp derives a row's state
/// from that.
namespace scattergate::digest {

/// Whether a shape can be a finding: a command that asks shards for documents of one
/// collection. Commands that always ask all shards (createIndexes, collStats) can't, nor can
/// explain, nor getMore, which goes where its cursor was opened.
[[nodiscard]] bool can_be_finding(const row& of) noexcept;

/// Whether a row is a finding: such a command that asks every shard of a sharded collection
/// because the shard key is missing.
[[nodiscard]] bool is_finding(const row& of) noexcept;

}  // namespace scattergate::digest
