#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/row.hpp"
#include "digest/table.hpp"
#include "text/json_writer.hpp"

namespace scattergate::digest {

/// The sender of a row's commands: a client, or a router (mongos) whose commands a shard
/// logged. Routers rewrite commands, so no accept rule can be derived from a router's commands.
enum class sent_by : std::uint8_t { client, router };

/// Appends a row as a JSON object, as in reports (schema: docs/report.md). `baseline`: the
/// row's state relative to a baseline (a file of accepted shapes); empty: there is no baseline,
/// and the member is null.
void append_json(text::json_writer& to, const row& of, std::string_view baseline = {},
                 sent_by sender = sent_by::client);

/// Appends a row's members to an open JSON object, as in the API: all members of append_json()
/// except `actions` and `acceptedBy`, the decisions of a proxy's rules.
void append_members(text::json_writer& to, const row& of, std::string_view baseline = {},
                    sent_by sender = sent_by::client);

/// Appends the members of a description, as in audit lines.
void append_members(text::json_writer& to, const description& of);

/// Appends the member `window`: the times of the first and last command.
void append_window(text::json_writer& to, const totals& of);

/// Appends the member `byRouting`: the number of commands by class.
void append_classes(text::json_writer& to, const totals& of);

/// Appends the member `totals`. `shard_requests`: the number of requests that shards logged.
/// Pass it if the source has only these; then the number of wasted requests is written as null.
/// std::nullopt: both numbers are taken from `of`.
void append_totals(text::json_writer& to, const totals& of,
                   std::optional<std::uint64_t> shard_requests = std::nullopt);

/// Formats a duration as milliseconds for JSON: 1.500.
[[nodiscard]] std::string millis(std::chrono::nanoseconds duration);

/// Appends a member with a duration in milliseconds, as formatted by millis().
void append_millis(text::json_writer& to, std::string_view name,
                   std::chrono::nanoseconds duration);

/// Appends durations as an object (`durationMillis` in docs/report.schema.json). Appends null
/// if `times` is empty.
void append_durations(text::json_writer& to, std::string_view name,
                      std::chrono::nanoseconds total, std::chrono::nanoseconds longest,
                      const time_histogram& times);

/// Appends a row's durations as an object (`durationMillis` in docs/report.schema.json).
/// Appends null if no duration is known. The quantiles in the object are null if some durations
/// are known only as a sum.
void append_durations(text::json_writer& to, std::string_view name, const row& of);

/// The number of wasted shard requests: those beyond the first of each command. std::nullopt if
/// the number is unknown (see known_waste()) or if there are no commands.
[[nodiscard]] std::optional<std::uint64_t> waste_of(const counts& of);

/// Appends the member `callers`: one entry per sender. `others`: the number of commands of all
/// further senders, appended as a last entry unless it is 0.
void append_callers(text::json_writer& to, const std::vector<caller>& who,
                    std::uint64_t others);

/// Appends an array of texts with their counts. Appends nothing if there are none. With `name`
/// = "errorNames" and `text_name` = "name":
/// "errorNames":[{"name":"Unauthorized","count":10},{"other":true,"count":2}]
void append_texts(text::json_writer& to, std::string_view name, std::string_view text_name,
                  const text_counts& of);

}  // namespace scattergate::digest
