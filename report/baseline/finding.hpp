#pragma once

#include "digest/row.hpp"

namespace scattergate::report {

/// Whether a shape is what the gate looks for: a command that asks every shard of a sharded
/// collection for want of its key. One that does so by its nature isn't (contract:
/// "by_nature"); nor is a getMore, which goes where its cursor was opened.
[[nodiscard]] bool is_finding(const digest::row& one) noexcept;

}  // namespace scattergate::report
