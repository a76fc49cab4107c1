#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "sim/execution/command.hpp"
#include "sim/execution/router.hpp"
#include "sim/query/sort.hpp"
#include "sim/query/update.hpp"

/// Single write statements, targeted and executed as mongos of the simulated version would.
namespace scattergate::sim {

/// The shards that a command's statements have reached.
using reached_shards = std::set<shard_index>;

enum class write_kind { update, remove, find_and_modify };

/// Selects the documents to write.
struct write_filter {
  write_kind kind;
  std::string ns;
  document filter;
  bool is_multi = false;
  collating collation{};
  document sort{};  ///< for findAndModify: which of several to use
  bool upserts = false;
  const document* replacement = nullptr;  ///< for an update that isn't an upsert
  bool is_raw = false;                    ///< for a time series: selects its buckets
  bool removes_found = false;             ///< for findAndModify: it removes the document
};

struct write_result {
  std::int64_t matched = 0;
  std::int64_t modified = 0;
  std::optional<value> upserted_id;
  document_ptr before;  ///< for a single write
  document_ptr after;
};

/// Inserts one document, with an `_id` added at the front if missing, and returns its shard.
/// `is_raw`: for a time series it is a bucket. Throws command_failure: duplicate_key,
/// shard_key_not_found, bson_object_too_large, and what a time series rejects (5743702,
/// document_validation_failure).
shard_index insert_one(context& at, const std::string& ns, document content,
                       bool is_raw = false);

/// `command` is the name under which the shards count it.
[[nodiscard]] write_result run_update(context& at, const write_filter& which,
                                      const update& change, std::string_view command,
                                      reached_shards& reached);

[[nodiscard]] write_result run_delete(context& at, const write_filter& which,
                                      std::string_view command, reached_shards& reached);

/// Rejects what mongos rejects for an update on any collection: constants next to one that
/// isn't a pipeline, from 9.0 on (mongo 0479b3d30874: target_write_op.cpp, validateUpdateDoc);
/// and, for a sharded collection, a replacement of many documents.
void check_update(const context& at, const write_filter& which, const update& change,
                  bool has_constants);

/// Rejects what the shards reject, once the router has sent it to them: unknown operators
/// (mongo: update/update_driver.cpp, parse), an upsert by `$expr` (parsed_update.cpp), and of
/// measurements an update that isn't of the meta field alone, or a findAndModify
/// (07d77e5061e6: timeseries_update_delete_util.cpp, translateUpdate;
/// timeseries_write_util.cpp, updateRequestCheckFunction).
void check_on_shards(const context& at, const write_filter& which, const update& change);

/// The targets of a write, as explain shows them.
struct write_plan {
  std::set<shard_index> shards;
  bool is_two_phase = false;  ///< all shards search first, then one is written to
};
/// Throws command_failure if mongos would reject the write: shard_key_not_found,
/// invalid_options, query_feature_not_allowed.
[[nodiscard]] write_plan plan_write(const context& at, const write_filter& which);

}  // namespace scattergate::sim
