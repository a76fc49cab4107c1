#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "digest/row.hpp"
#include "routing/command_kind.hpp"

/// Formats parts of a row as text for people, mongosh, rule sets and JSON. All functions but
/// quantile() allocate.
namespace scattergate::digest {

/// The quantile `share` of a row's durations: 0.5 is the median. At most the row's longest
/// duration, rounded to the source's resolution. REQUIRES: of.has_quantiles().
[[nodiscard]] std::chrono::nanoseconds quantile(const row& of, double share) noexcept;

/// Formats a duration of the row: "4.7 ms"; "< 1.0 ms" if it is below the source's resolution.
[[nodiscard]] std::string duration_text(const row& of, std::chrono::nanoseconds duration);

/// Formats a row's durations: "median 2.0 ms, p95 9.1 ms, longest 12.0 ms, in all 1.23 s".
/// Omits the quantiles if some durations are known only as a sum. Empty if no duration is
/// known.
[[nodiscard]] std::string times_text(const row& of);

/// A line for mongosh that explains a command of this shape, with example values to replace:
/// db.getSiblingDB("shop").runCommand({explain: {find: "orders", ...}}). Empty if the shape is
/// unknown or incomplete, or if explain doesn't support the command.
[[nodiscard]] std::string explain_text(const row& of);

/// Who applies a printed rule: a proxy, or a gate, which hashes a catalog's pattern for
/// generated names (`test-*.orders`) instead of the name.
enum class rule_for : std::uint8_t { proxy, gate };

/// A rule that accepts the row's findings, as YAML in flow style. Empty if can_be_finding() is
/// false. The rule matches:
/// - by namespace, command and routing class, if the row's shape or namespace isn't the one
///   that a daemon would compute: the row lacks a batch's statements, or its namespace is a
///   pattern;
/// - otherwise by command and shape, if commands of this kind may touch other collections, for
///   example an aggregate with $lookup;
/// - otherwise by namespace and shape.
[[nodiscard]] std::string accept_rule(const row& of, rule_for reader = rule_for::proxy);

/// A shape in one line: "find shop.orders {\"filter\":...}".
[[nodiscard]] std::string one_line(const row& of);

/// The shard key's fields that the row's filter lacks, separated by commas.
[[nodiscard]] std::string missing_text(const row& of);

/// Which statement of a batch asks every shard: "index 2 of the batch". Empty: no batch.
[[nodiscard]] std::string statement_text(const row& of);

/// The known facts about a sender, separated by spaces: application, user, host and comment.
[[nodiscard]] std::string caller_text(const caller& of);

/// One line per caller with known facts, such as "30 × shop", the busiest first. If further
/// callers share one count, a last line has it: "12 × others".
[[nodiscard]] std::vector<std::string> caller_lines(const callers& of);

}  // namespace scattergate::digest
