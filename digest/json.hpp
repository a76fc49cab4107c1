#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

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

/// Appends the member `window`: the times of the first and last command.
void append_window(text::json_writer& to, const totals& of);

/// Appends the member `byRouting`: the number of commands by class.
void append_classes(text::json_writer& to, const totals& of);

/// Appends the member `totals`. `shard_requests`: the number of requests that shards logged.
/// Pass it if the source has only these; then the number of wasted requests is written as null.
/// std::nullopt: both numbers are taken from `of`.
void append_totals(text::json_writer& to, const totals& of,
                   std::optional<std::uint64_t> shard_requests = std::nullopt);

}  // namespace scattergate::digest
