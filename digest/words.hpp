#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "digest/row.hpp"
#include "routing/command_kind.hpp"

namespace scattergate::digest {

/// A row in what people read and paste: for mongosh, for a rule set, for JSON. Allocates.

/// The duration below which `share` (0 to 1) of its commands lie, as near as its histogram
/// tells; never longer than the longest, and no finer than the durations were.
/// REQUIRES: of.has_quantiles().
[[nodiscard]] std::chrono::nanoseconds quantile(const row& of, double share) noexcept;

/// A duration of the row: "4.7 ms"; "< 1.0 ms" where it is below what its source measures.
[[nodiscard]] std::string duration_text(const row& of, std::chrono::nanoseconds duration);

/// What is known of its times: "median 2.0 ms, p95 9.1 ms, longest 12.0 ms, in all 1.23 s",
/// without quantiles where only sums are known; empty where nothing is.
[[nodiscard]] std::string times_text(const row& of);

/// A mongosh line that asks how the shape is planned, its placeholders typed so that each says
/// what to put there: db.getSiblingDB("shop").runCommand({explain: {find: "orders", ...}}).
/// Empty where the shape isn't known, or explain can't take the command.
[[nodiscard]] std::string explain_text(const row& of);

/// The rule that one would write to accept it, as YAML in flow style. It names the shape (and
/// no namespace where the command may be a finding in several), or,
/// where a daemon sees another one (a batch whose statements weren't logged, a namespace that
/// is a pattern), command and class. Empty where it can't be a finding.
[[nodiscard]] std::string accept_rule(const row& of);

/// "find shop.orders {\"filter\":...}": a shape in one line.
[[nodiscard]] std::string one_line(const row& of);

/// The fields that its filter lacks, with commas between them.
[[nodiscard]] std::string missing_text(const row& of);

/// Who sent it: application, user, network and comment, as far as they are known.
[[nodiscard]] std::string caller_text(const caller& of);

/// A line for each caller, the busiest first, and for those that aren't told apart: "30 ×
/// shop".
[[nodiscard]] std::vector<std::string> caller_lines(const callers& of);

}  // namespace scattergate::digest
