#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "sim/execution/command.hpp"
#include "sim/execution/router.hpp"
#include "sim/query/shaping.hpp"
#include "sim/query/update.hpp"

/// Runs single write statements: selects the shards of a write ("targets" it) as mongos of the
/// simulated version would, then writes. A time series stores measurements in documents called
/// buckets.
namespace scattergate::sim {

/// The shards that a command's statements have reached so far.
using reached_shards = std::set<shard_index>;

/// The command that a write statement belongs to.
enum class write_kind { update, remove, find_and_modify };

/// One write statement, without the change that it makes: which documents it selects.
struct write_filter {
  write_kind kind;
  std::string ns;         ///< the collection's namespace
  document filter;        ///< the documents to write
  bool is_multi = false;  ///< whether the statement writes all matching documents
  collating collation{};
  document sort{};       ///< for a findAndModify: selects the first document in this order
  bool upserts = false;  ///< the statement inserts a document if none matches
  /// The replacement document, if mongos may select the shard by it. Null if the statement has
  /// none, or if mongos ignores it, as for upserts before 8.0. run_update() sets it itself.
  const document* replacement = nullptr;
  bool is_raw = false;   ///< for a time series: the statement selects buckets, not measurements
  bool removes = false;  ///< for a findAndModify: it removes the document
  variables names{};     ///< the variables that the filter's `$expr` may use
};

/// Reads a write statement of `command`: of an update or a delete, an operation of a bulkWrite,
/// or a whole findAndModify. `filter`: the name of the statement's filter. A delete with
/// `limit` deletes every match if this is 0, or no number (mongo: write_ops.cpp,
/// readMultiDeleteProperty). Throws command_failure for an invalid argument.
[[nodiscard]] write_filter read_statement(const context& at, write_kind kind,
                                          const std::string& ns, const document& statement,
                                          const char* filter, const document& command);

/// The result of an update or delete.
struct write_result {
  std::int64_t matched = 0;   ///< number of documents deleted, or updated (changed or not)
  std::int64_t modified = 0;  ///< number of documents that an update changed
  std::optional<value> upserted_id;  ///< the `_id` of the document that an upsert inserted
  document_ptr before;  ///< for a write of one document: the old version; null: none
  document_ptr after;   ///< for a write of one document: the new version; null: none
};

/// Inserts one document and returns its shard. Creates the collection if necessary. Moves the
/// `_id` to the front, or adds one. `is_raw`: the document is a bucket of a time series. Throws
/// command_failure: duplicate_key, shard_key_not_found, bson_object_too_large, bad_value for an
/// `_id` of a forbidden type, or an error of form_to_store().
shard_index insert_one(context& at, const std::string& ns, document content,
                       bool is_raw = false);

/// Runs an update. If no document matches and it is an upsert, inserts one. `command`: the name
/// under which shards count it. Adds the shards that the update reached to `reached`. Throws
/// command_failure.
[[nodiscard]] write_result run_update(context& at, const write_filter& which,
                                      const update& change, std::string_view command,
                                      reached_shards& reached);

/// Runs a delete. `command`: the name under which shards count the delete. Adds the shards
/// that the delete reached to `reached`. Throws command_failure.
[[nodiscard]] write_result run_delete(context& at, const write_filter& which,
                                      std::string_view command, reached_shards& reached);

/// Throws command_failure for an update that mongos rejects:
/// - one of a time series that plan_write() rejects;
/// - a replacement of many documents (multi: true);
/// - from 9.0 on, constants without a pipeline (mongo 0479b3d30874: target_write_op.cpp,
///   targetUpdate, validateUpdateDoc).
/// `has_constants`: the statement has the field `c` (constants).
void check_update(const context& at, const write_filter& which, const update& change,
                  bool has_constants);

/// Throws command_failure for an update that the shards reject once mongos has sent it:
/// - one with unknown or conflicting operators (mongo: update/update_driver.cpp, parse);
/// - an upsert with `$expr` in its filter (mongo: parsed_update.cpp);
/// - on the measurements of a time series: a findAndModify, or an update of other fields than
///   the meta field (mongo 07d77e5061e6: timeseries_update_delete_util.cpp, translateUpdate;
///   timeseries_write_util.cpp, updateRequestCheckFunction).
void check_on_shards(const context& at, const write_filter& which, const update& change);

/// The shards that mongos selects for a write, as explain shows them. If there are several, an
/// update or delete outside a transaction is sent to all shards nevertheless.
struct write_plan {
  std::set<shard_index> shards;  ///< if is_two_phase: the shards that search
  bool is_two_phase = false;     ///< these shards search first, then one shard writes
};
/// Selects the shards of a write without running it. Throws command_failure if mongos would
/// reject the write: shard_key_not_found, invalid_options, query_feature_not_allowed and
/// others.
[[nodiscard]] write_plan plan_write(const context& at, const write_filter& which);

}  // namespace scattergate::sim
