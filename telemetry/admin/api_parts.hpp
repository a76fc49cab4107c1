#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "digest/json.hpp"
#include "digest/row.hpp"
#include "telemetry/history/collection_table.hpp"
#include "text/json_writer.hpp"

/// Helpers for the replies below /api/v1/ (docs/openapi.yaml).
namespace scattergate::telemetry {

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

}  // namespace scattergate::telemetry
