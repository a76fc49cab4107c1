#pragma once

#include "digest/row.hpp"

/// Decides which rows (a row is a shape with its counts) are findings: problems to report. In a
/// running daemon, the rules decide for each command instead (proxy/policy.hpp).
namespace scattergate::digest {

/// Whether mongos chooses the shards of the row's commands by a filter or by documents; only
/// then can a row ask fewer shards. False for commands that always ask all shards
/// (createIndexes, collStats), for explain, and for getMore, which goes to the shards of its
/// cursor.
[[nodiscard]] bool can_be_finding(const row& of) noexcept;

/// Whether a row is a finding: can_be_finding() is true and the row's class is scatter_gather
/// or the row exceeds a gate's limit on the fan-out (row::exceeds_fanout); or is_refused() is
/// true. The row's class is the worst class of its commands. In the class scatter_gather,
/// mongos asks every shard that owns chunks of the collection.
[[nodiscard]] bool is_finding(const row& of) noexcept;

/// Whether mongos or a shard rejects the row's commands: they read or write documents of a
/// collection, or have a lint that says so.
[[nodiscard]] bool is_refused(const row& of) noexcept;

/// The number of a row's commands that a proxy recorded as findings and that its accept rules
/// declared intended; 0 if the source of the row doesn't record the rules' decisions.
[[nodiscard]] std::uint64_t accepted_count(const row& of) noexcept;
/// Whether a proxy recorded findings in the row, and its accept rules declared all intended.
/// False if the source of the row doesn't record the rules' decisions.
[[nodiscard]] bool is_accepted(const row& of) noexcept;

}  // namespace scattergate::digest
