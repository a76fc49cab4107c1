#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "digest/json_parts.hpp"
#include "digest/row.hpp"
#include "telemetry/history/collection_table.hpp"
#include "text/json_writer.hpp"

/// What the answers below /api/v1/ are made of (docs/openapi.yaml).
namespace scattergate::telemetry {

using wall_time = std::chrono::system_clock::time_point;

using text::json_writer;

/// A time in Unix seconds, of which 0 is none: null.
void append_unix_time(json_writer& to, std::string_view name, std::int64_t seconds);

/// What text::time_text() writes; nothing where it is anything else.
[[nodiscard]] std::optional<wall_time> parse_time(std::string_view text);

void append_counts(json_writer& to, const command_counts& counts);

/// What is said of a collection's sums and of everybody's alike, but for its names. `began`:
/// when the counting did.
void append_sums(json_writer& to, const collection_sums& of, wall_time now, wall_time began);

/// "schemaVersion":1,"generatedAt":...: how every answer begins.
void append_head(json_writer& to, wall_time now);

}  // namespace scattergate::telemetry
