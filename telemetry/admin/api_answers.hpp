#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/rule.hpp"
#include "digest/json.hpp"
#include "digest/row.hpp"
#include "telemetry/conditions/condition.hpp"
#include "telemetry/counters/rule_hits.hpp"
#include "telemetry/history/collection_table.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "text/json_writer.hpp"

/// The parts of which the replies below /api/v1/ are made (docs/openapi.yaml).

namespace scattergate::telemetry {

/// Appends conditions (problems of the daemon) as a JSON array, in the given order: [{id,
/// severity, kind, subject, listener, message, detail, whatToDo, runbook, since, last, count,
/// active}, ...].
void append_conditions(text::json_writer& to, const std::vector<condition>& all);

/// Formats the reply of /api/v1/rules: the rules in evaluation order, each with its hits since
/// the daemon started (scattergate_rule_hits_total). `totals`: the hits by rule name; a rule
/// without an entry has no hits. `is_catalog_stale`: the live catalog is out of date.
[[nodiscard]] std::string rules_json(std::span<const config::rule> rules,
                                     const std::vector<rule_total>& totals,
                                     bool is_catalog_stale = false);

using wall_time = std::chrono::system_clock::time_point;

using text::json_writer;

/// Appends the member `name` with a time, given in Unix seconds; JSON's null if `seconds` is
/// 0.
void append_unix_time(json_writer& to, std::string_view name, std::int64_t seconds);

/// Parses a time as text::time_text() writes it, such as 2026-11-22T03:00:00.000Z. std::nullopt
/// for any other text.
[[nodiscard]] std::optional<wall_time> parse_time(std::string_view text);

/// Appends the counts as members of the current JSON object: `commands`, `byRouting` and one
/// member per command_counts::kind.
void append_counts(json_writer& to, const command_counts& counts);

/// Appends the counts and durations of one collection, or of several together, as members of
/// the current JSON object. `began`: when the daemon began to count.
void append_sums(json_writer& to, const collection_sums& of, wall_time now, wall_time began);

/// Appends the two members with which each reply begins: "schemaVersion":1,"generatedAt":...
void append_head(json_writer& to, wall_time now);

/// Formats the reply of /api/v1/shapes: the digest (a row per query shape) in the JSON format
/// of the report (docs/report.md), with additional members that only a daemon has. Rows with
/// rejected or throttled commands come first, then the rows with the highest cost. Omits rows
/// beyond `max_bytes` of text; the member `shapesLeftOut` counts them. Marks a shape as `new`
/// if it was first seen at `since` or later.
[[nodiscard]] std::string shapes_json(const live_digest::view& all, digest::wall_time since,
                                      std::size_t max_bytes);

/// Formats the reply of /api/v1/shapes/HASH: all rows of the digest (the table of query shapes)
/// with this hash. Returns an empty text if there are none. Marks a shape as `new` if it was
/// first seen at `since` or later.
[[nodiscard]] std::string shape_json(const live_digest::view& all, std::uint64_t hash,
                                     digest::wall_time since);

/// Appends two members to an event of /api/v1/events. `shapes` lists the rows that had commands
/// since `since`, at most `most`; rows with rejected or throttled commands come first, then the
/// rows with the highest cost. `shapesLeftOut` is the number of omitted rows. Also includes
/// rows whose last command came up to 3 s before `since`, because workers report counts with a
/// delay.
void append_changed_shapes(text::json_writer& to, const live_digest::view& all,
                           digest::wall_time since, std::size_t most);

}  // namespace scattergate::telemetry
