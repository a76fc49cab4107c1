#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "digest/row.hpp"
#include "digest/table.hpp"
#include "text/json_writer.hpp"

namespace scattergate::digest {

/// The sender of a row's commands: a client, or a router whose commands a shard logged. Routers
/// rewrite commands, so accept rules can't be derived from their shapes.
enum class sent_by : std::uint8_t { client, router };

/// Appends a row as a JSON object, as in the report, the API and the state file (schema:
/// docs/report.md). `baseline`: the row's state relative to a baseline; empty: there is no
/// baseline.
void append_json(text::json_writer& to, const row& of, std::string_view baseline = {},
                 sent_by sender = sent_by::client);

/// Appends a row's members to an open JSON object that has further members; see append_json().
void append_members(text::json_writer& to, const row& of, std::string_view baseline = {},
                    sent_by sender = sent_by::client);

/// Appends the member `window`: the times of the first and last command.
void append_window(text::json_writer& to, const totals& of);

/// Appends the member `byRouting`: the number of commands by class.
void append_classes(text::json_writer& to, const totals& of);

/// Appends the member `totals`. `shard_requests`: set if the table counts requests that shards
/// logged; it is then unknown how many of them are wasted.
void append_totals(text::json_writer& to, const totals& of,
                   std::optional<std::uint64_t> shard_requests = std::nullopt);

}  // namespace scattergate::digest
