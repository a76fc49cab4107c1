#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "digest/row.hpp"
#include "digest/table.hpp"

namespace scattergate::digest {

/// Who sent what a row counts. A router rewrites commands for shards: no rule can be made of
/// their shapes.
enum class sent_by : std::uint8_t { client, router };

/// Appends a row as a JSON object: what the report, the API and the state file say of a shape
/// (docs/report.md has its schema). `baseline`: how it stands to one, as the contract calls it;
/// empty where there is none.
void append_json(std::string& to, const row& of, std::string_view baseline = {},
                 sent_by sender = sent_by::client);

/// Appends when the first and the last command were: {"from":...,"to":...}.
void append_window(std::string& to, const totals& of);

/// Appends how many went where: {"single_shard":...,...}.
void append_classes(std::string& to, const totals& of);

/// Appends what all commands add up to: {"commands":...,"byRouting":{...},...}.
void append_json(std::string& to, const totals& of);

/// The same, where shards have logged so many requests: how many are wasted isn't known.
void append_json(std::string& to, const totals& of, std::uint64_t shard_requests);

}  // namespace scattergate::digest
