#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "digest/json_parts.hpp"
#include "digest/object_writer.hpp"
#include "digest/row.hpp"
#include "telemetry/history/collection_table.hpp"

/// What the answers below /api/v1/ are made of (docs/openapi.yaml).
namespace scattergate::telemetry {

using wall_time = std::chrono::system_clock::time_point;

using digest::time_json;

/// The same of Unix seconds, of which 0 is none.
[[nodiscard]] std::string unix_time_json(std::int64_t seconds);
/// What time_json() writes, without quotes; nothing where it is anything else.
[[nodiscard]] std::optional<wall_time> parse_time(std::string_view text);

void append_counts(digest::object_writer& to, const command_counts& counts);

/// What is said of a collection's sums and of everybody's alike, but for its names. `began`:
/// when the counting did.
void append_sums(digest::object_writer& to, const collection_sums& of, wall_time now,
                 wall_time began);

/// `{"schemaVersion":1,"generatedAt":...`: how every answer begins.
void append_head(digest::object_writer& to, wall_time now);

}  // namespace scattergate::telemetry
