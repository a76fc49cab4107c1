#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "digest/row.hpp"
#include "digest/table.hpp"
#include "text/json_writer.hpp"

namespace scattergate::digest {

/// Who sent what a row counts. A router rewrites commands for shards: no rule can be made of
/// their shapes.
enum class sent_by : std::uint8_t { client, router };

/// A row as a JSON object: what the report, the API and the state file say of a shape
/// (docs/report.md has its schema). `baseline`: how it stands to one, as the contract calls it;
/// empty where there is none.
void append_json(text::json_writer& to, const row& of, std::string_view baseline = {},
                 sent_by sender = sent_by::client);

/// The members of that object, where there are more.
void append_members(text::json_writer& to, const row& of, std::string_view baseline = {},
                    sent_by sender = sent_by::client);

/// The member `window`: when the first and the last command were.
void append_window(text::json_writer& to, const totals& of);

/// The member `byRouting`: how many went where.
void append_classes(text::json_writer& to, const totals& of);

/// The member `totals`: what all commands add up to. `shard_requests`: what shards have logged;
/// then it isn't known how many are wasted.
void append_totals(text::json_writer& to, const totals& of,
                   std::optional<std::uint64_t> shard_requests = std::nullopt);

}  // namespace scattergate::digest
