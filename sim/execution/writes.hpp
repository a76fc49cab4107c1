#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "sim/execution/command.hpp"
#include "sim/execution/router.hpp"
#include "sim/query/sort.hpp"
#include "sim/query/update.hpp"

/// Runs single write statements: selects their shards ("targets" the write) as mongos of the
/// simulated version would, then writes. A time series stores measurements in documents called
/// buckets.
namespace scattergate::sim {

/// The shards that a command's statements have reached so far.
using reached_shards = std::set<shard_index>;

/// The command that a write statement belongs to.
enum class write_kind { update, remove, find_and_modify };

/// The documents that a write statement selects, and how.
struct write_filter {
  write_kind kind;
  std::string ns;         ///< the collection's namespace
  document filter;        ///< the documents to write
  bool is_multi = false;  ///< whether the statement writes all matching documents
  collating collation{};
  document sort{};       ///< for a findAndModify: the first document in this order is used
  bool upserts = false;  ///< inserts a document if none matches
  const document* replacement = nullptr;  ///< the replacement document by which mongos may
                                          ///< select the shard; null otherwise. Before 8.0,
                                          ///< upserts have none.
  bool is_raw = false;   ///< for a time series: selects buckets, not measurements
  bool removes = false;  ///< for a findAndModify: removes the document
  variables names{};     ///< the variables that the filter's `$expr` may use
};

/// The result of a write.
struct write_result {
  std::int64_t matched = 0;          ///< number of documents that matched the filter
  std::int64_t modified = 0;         ///< number of documents that an update changed
  std::optional<value> upserted_id;  ///< the `_id` of the document that an upsert inserted
  document_ptr before;  ///< of a write of one document: the old version; null: none
  document_ptr after;   ///< of a write of one document: the new version; null: none
};

/// Inserts one document and returns the shard. Moves the `_id` to the front, or adds one.
/// `is_raw`: the document is a bucket of a time series. Throws command_failure: duplicate_key,
/// shard_key_not_found, bson_object_too_large, bad_value (the `_id` has a type that isn't
/// allowed), and for time series 5743702 and document_validation_failure.
shard_index insert_one(context& at, const std::string& ns, document content,
                       bool is_raw = false);

/// Runs an update. `command`: the name under which shards count the update. Adds the shards
/// that the update reached to `reached`. Throws command_failure.
[[nodiscard]] write_result run_update(context& at, const write_filter& which,
                                      const update& change, std::string_view command,
                                      reached_shards& reached);

/// Runs a delete. `command`: the name under which shards count the delete. Adds the shards
/// that the delete reached to `reached`. Throws command_failure.
[[nodiscard]] write_result run_delete(context& at, const write_filter& which,
                                      std::string_view command, reached_shards& reached);

/// Throws command_failure for an update that mongos rejects: what plan_write() rejects of a
/// time series, a replacement of many documents (multi: true), or, from 9.0 on, constants
/// without a pipeline (mongo 0479b3d30874: target_write_op.cpp, targetUpdate,
/// validateUpdateDoc). `has_constants`: the statement has the field `c` (constants).
void check_update(const context& at, const write_filter& which, const update& change,
                  bool has_constants);

/// Throws command_failure for an update that the shards reject once mongos has sent it:
/// - one with unknown operators (mongo: update/update_driver.cpp, parse);
/// - an upsert by `$expr` (mongo: parsed_update.cpp);
/// - on the measurements of a time series: a findAndModify, or an update of other fields than
///   the meta field (mongo 07d77e5061e6: timeseries_update_delete_util.cpp, translateUpdate;
///   timeseries_write_util.cpp, updateRequestCheckFunction).
void check_on_shards(const context& at, const write_filter& which, const update& change);

/// The shards to which a write is sent, as explain shows them.
struct write_plan {
  std::set<shard_index> shards;  ///< if is_two_phase: the shards that search
  bool is_two_phase = false;     ///< all shards search first, then one shard writes
};
/// Selects the shards of a write without running it. Throws command_failure if mongos would
/// reject the write: shard_key_not_found, invalid_options, query_feature_not_allowed and
/// others.
[[nodiscard]] write_plan plan_write(const context& at, const write_filter& which);

}  // namespace scattergate::sim
