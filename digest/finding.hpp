#pragma once

#include "digest/row.hpp"

/// Decides from a row alone whether it is a finding. In a running daemon, rules decide for each
/// command (proxy/policy.hpp), and shape_kind.hpp derives a row's state from the rules'
/// decisions.
namespace scattergate::digest {

/// Whether commands of this kind can be findings: they ask shards for documents of one
/// collection. False for commands that always ask all shards (createIndexes, collStats), for
/// explain, and for getMore, which goes to the shards of its cursor.
[[nodiscard]] bool can_be_finding(const row& of) noexcept;

/// Whether a row is a finding: can_be_finding() is true, and its commands ask every shard of a
/// sharded collection because the shard key is missing.
[[nodiscard]] bool is_finding(const row& of) noexcept;

/// The number of a row's commands that a proxy's rules accepted; 0 if the source doesn't have
/// it.
[[nodiscard]] std::uint64_t accepted_count(const row& of) noexcept;
/// Whether a proxy's rules accepted all of a row's findings; false if the source doesn't have
/// the decisions.
[[nodiscard]] bool is_accepted(const row& of) noexcept;

}  // namespace scattergate::digest
