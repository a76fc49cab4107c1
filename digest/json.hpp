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
/// docs/report.md). `baseline`: the row's state relative to a baseline (a file of accepted
/// shapes); empty: there is no baseline, and the member is null.
void append_json(text::json_writer& to, const row& of, std::string_view baseline = {},
                 sent_by sender = sent_by::client);

/// Appends the members of append_json(), except for the decisions of a proxy's rules, to an
/// open JSON object.
void append_members(text::json_writer& to, const row& of, std::string_view baseline = {},
                    sent_by sender = sent_by::client);

/// Appends the member `window`: the times of the first and last command.
void append_window(text::json_writer& to, const totals& of);

/// Appends the member `byRouting`: the number of commands by class.
void append_classes(text::json_writer& to, const totals& of);

/// Appends the member `totals`. `shard_requests`: the number of requests that shards logged,
/// for a source that has only these; the number of wasted requests is then written as null.
/// std::nullopt: writes the numbers in `of`.
void append_totals(text::json_writer& to, const totals& of,
                   std::optional<std::uint64_t> shard_requests = std::nullopt);

}  // namespace scattergate::digest
