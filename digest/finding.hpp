#pragma once

#include "digest/row.hpp"

/// Decides whether the commands of a row (a shape with its counts) are findings. In a
/// running daemon, rules decide for each command (proxy/policy.hpp), and shape_kind.hpp
/// derives a row's state from the rules' decisions.
namespace scattergate::digest {

/// Whether the row's commands can be findings: mongos chooses their shards by a filter or by
/// documents. False for commands that always ask all shards (createIndexes, collStats), for
/// explain, and for getMore, which goes to the shards of its cursor.
[[nodiscard]] bool can_be_finding(const row& of) noexcept;

/// Whether a row is a finding: can_be_finding() is true, and the row's class (the worst class
/// of its commands) is scatter_gather: mongos asks every shard that owns chunks of the
/// collection.
[[nodiscard]] bool is_finding(const row& of) noexcept;

/// The number of a row's commands that a proxy's rules accepted; 0 if the source doesn't have
/// the decisions.
[[nodiscard]] std::uint64_t accepted_count(const row& of) noexcept;
/// Whether a proxy's rules accepted all of a row's findings; false if the source doesn't have
/// the decisions.
[[nodiscard]] bool is_accepted(const row& of) noexcept;

}  // namespace scattergate::digest
