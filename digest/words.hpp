#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "digest/row.hpp"
#include "routing/command_kind.hpp"

namespace scattergate::digest {

/// Formats a row as text to read or to paste: for mongosh, for a rule set, for JSON. Allocates.

/// The duration below which a `share` (0 to 1) of the commands lies, as accurate as the
/// histogram and the source; at most the longest duration. REQUIRES: of.has_quantiles().
[[nodiscard]] std::chrono::nanoseconds quantile(const row& of, double share) noexcept;

/// A duration of the row: "4.7 ms"; "< 1.0 ms" if it is below the source's resolution.
[[nodiscard]] std::string duration_text(const row& of, std::chrono::nanoseconds duration);

/// The known durations: "median 2.0 ms, p95 9.1 ms, longest 12.0 ms, in all 1.23 s"; without
/// quantiles if only sums are known; empty if nothing is known.
[[nodiscard]] std::string times_text(const row& of);

/// A mongosh line that explains the shape, with typed placeholders to fill in:
/// db.getSiblingDB("shop").runCommand({explain: {find: "orders", ...}}). Empty if the shape is
/// unknown or explain doesn't support the command.
[[nodiscard]] std::string explain_text(const row& of);

/// A rule that accepts the row, as YAML in flow style. It names the shape, without a namespace
/// if the command may be a finding in several. If a daemon sees another shape (a batch whose
/// statements weren't logged, a namespace that is a pattern), it names command and class
/// instead. Empty if the row can't be a finding.
[[nodiscard]] std::string accept_rule(const row& of);

/// "find shop.orders {\"filter\":...}": a shape in one line.
[[nodiscard]] std::string one_line(const row& of);

/// The fields missing in its filter, separated by commas.
[[nodiscard]] std::string missing_text(const row& of);

/// The known facts about a sender: application, user, network and comment.
[[nodiscard]] std::string caller_text(const caller& of);

/// A line per caller, the busiest first, and one for the rest: "30 × shop".
[[nodiscard]] std::vector<std::string> caller_lines(const callers& of);

}  // namespace scattergate::digest
