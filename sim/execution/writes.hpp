#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "sim/execution/command.hpp"
#include "sim/execution/router.hpp"
#include "sim/query/sort.hpp"
#include "sim/query/update.hpp"

/// Targets and executes single write statements as mongos of the simulated version would.
namespace scattergate::sim {

/// The shards that a command's statements have reached so far.
using reached_shards = std::set<shard_index>;

enum class write_kind { update, remove, find_and_modify };

/// A write's selection of documents.
struct write_filter {
  write_kind kind;
  std::string ns;
  document filter;
  bool is_multi = false;
  collating collation{};
  document sort{};       ///< for a findAndModify: the first document in this order is used
  bool upserts = false;  ///< inserts a document if none matches
  const document* replacement = nullptr;  ///< the replacement document, if the write is an
                                          ///< update but not an upsert; null otherwise
  bool is_raw = false;   ///< for a time series: selects buckets, not measurements
  bool removes = false;  ///< for a findAndModify: removes the document
};

/// The result of a write.
struct write_result {
  std::int64_t matched = 0;
  std::int64_t modified = 0;
  std::optional<value> upserted_id;  ///< the `_id` of the document that an upsert inserted
  document_ptr before;  ///< the document before a write of one document; null: none
  document_ptr after;   ///< the document after it; null: none
};

/// Inserts one document and returns its shard. Adds an `_id` at the front if there is none.
/// `is_raw`: the document is a bucket of a time series. Throws command_failure: duplicate_key,
/// shard_key_not_found, bson_object_too_large, and for time series 5743702 and
/// document_validation_failure.
shard_index insert_one(context& at, const std::string& ns, document content,
                       bool is_raw = false);

/// Runs an update. `command`: the name under which shards count it. Adds the shards to
/// `reached`. Throws command_failure.
[[nodiscard]] write_result run_update(context& at, const write_filter& which,
                                      const update& change, std::string_view command,
                                      reached_shards& reached);

/// Runs a delete. `command` and `reached`: as in run_update().
[[nodiscard]] write_result run_delete(context& at, const write_filter& which,
                                      std::string_view command, reached_shards& reached);

/// Throws command_failure for an update that mongos rejects on any collection: constants
/// without a pipeline, from 9.0 on (mongo 0479b3d30874: target_write_op.cpp,
/// validateUpdateDoc); and, on a sharded collection, a replacement of many documents.
/// `has_constants`: the statement has `c`.
void check_update(const context& at, const write_filter& which, const update& change,
                  bool has_constants);

/// Throws command_failure for an update that the shards reject once mongos has sent it: unknown
/// operators (mongo: update/update_driver.cpp, parse); an upsert by `$expr`
/// (parsed_update.cpp); on measurements, an update of other fields than the meta field, or a
/// findAndModify (07d77e5061e6: timeseries_update_delete_util.cpp, translateUpdate;
/// timeseries_write_util.cpp, updateRequestCheckFunction).
void check_on_shards(const context& at, const write_filter& which, const update& change);

/// The shards to which a write is sent, as explain shows them.
struct write_plan {
  std::set<shard_index> shards;
  bool is_two_phase = false;  ///< all shards search first, then one shard writes
};
/// The targets of a write; doesn't execute it. Throws command_failure if mongos would reject
/// the write: shard_key_not_found, invalid_options, query_feature_not_allowed.
[[nodiscard]] write_plan plan_write(const context& at, const write_filter& which);

}  // namespace scattergate::sim
