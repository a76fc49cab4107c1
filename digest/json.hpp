#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "digest/row.hpp"
#include "digest/table.hpp"
#include "text/json_writer.hpp"

namespace scattergate::digest {

/// Who sent a row's commands. Routers rewrite commands for shards, so no rule can be made of
/// those shapes.
enum class sent_by : std::uint8_t { client, router };

/// Appends a row as a JSON object, as in the report, the API and the state file (schema in
/// docs/report.md). `baseline`: the state relative to a baseline, in the contract's words;
/// empty: no baseline.
void append_json(text::json_writer& to, const row& of, std::string_view baseline = {},
                 sent_by sender = sent_by::client);

/// Appends the members of that object to one with further members.
void append_members(text::json_writer& to, const row& of, std::string_view baseline = {},
                    sent_by sender = sent_by::client);

/// Appends the member `window`: the times of the first and last command.
void append_window(text::json_writer& to, const totals& of);

/// Appends the member `byRouting`: the number of commands by class.
void append_classes(text::json_writer& to, const totals& of);

/// Appends the member `totals`. `shard_requests`: the table counts requests that shards logged;
/// then it is unknown how many are wasted.
void append_totals(text::json_writer& to, const totals& of,
                   std::optional<std::uint64_t> shard_requests = std::nullopt);

}  // namespace scattergate::digest
