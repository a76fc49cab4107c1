#pragma once

#include "digest/row.hpp"

/// What counts as a finding, where only a row is known of it: the one place that decides. While
/// a daemon runs, its rules decide of each command (proxy/policy.hpp), and shape_kind.hpp says
/// what that makes of a row.
namespace scattergate::digest {

/// Whether a shape can be a finding: a command that asks shards for documents of one
/// collection. What does so by its nature (createIndexes, collStats) can't, nor can explain,
/// nor a getMore, which goes where its cursor was opened.
[[nodiscard]] bool can_be_finding(const row& of) noexcept;

/// Whether it is one: such a command, which asks every shard of a sharded collection for want
/// of its key.
[[nodiscard]] bool is_finding(const row& of) noexcept;

}  // namespace scattergate::digest
