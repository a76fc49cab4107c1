#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/execution/command.hpp"

/// Reads and writes documents on the shards that hold them. For a time series, shards store
/// buckets (documents with several measurements). Commands see measurements instead, or buckets
/// if `is_raw`.
namespace scattergate::sim {

/// A document, or a measurement of a time series, and its location.
struct stored_document {
  shard_index where = 0;  ///< the shard
  record_id id = 0;       ///< the number of the document, or of the measurement's bucket
  document_ptr content;   ///< the document or measurement
  std::string row{};      ///< for a measurement: the name of the measurement's fields in the
                          ///< bucket's columns, such as "0"; otherwise empty
};

/// Returns the documents of one shard that match, at most `limit` (0: all). For a time series,
/// returns measurements, or buckets if `is_raw`. REQUIRES: `match` was made from `filter`.
[[nodiscard]] std::vector<stored_document> find_stored(context& at, const collection& of,
                                                       shard_index shard,
                                                       const document& filter,
                                                       const matcher& match, bool is_raw,
                                                       std::size_t limit = 0);

/// Converts a document to the form in which a shard stores it: a measurement of a time series
/// becomes a bucket, any other document stays as it is. `is_raw`: `content` is already a
/// bucket, and is only checked. Throws command_failure: 5743702 for a measurement without a
/// valid time, document_validation_failure for an invalid bucket.
[[nodiscard]] document form_to_store(const collection& of, document content, bool is_raw);

/// Removes a document, or one measurement. The measurement's bucket stays as long as it
/// contains other measurements.
void remove_stored(context& at, const collection& of, const stored_document& which);

/// Replaces a document, or one measurement, by `stored`, the result of form_to_store(). `to`:
/// the shard that stores the new document; may be another one than before.
void replace_stored(context& at, const collection& of, const stored_document& which,
                    document stored, shard_index to);

// Plays the part of mongos: selects the shards for a read or write, sends the command to
// them, and counts the command. A time series stores measurements in documents called
// buckets.

/// What the router must know about a command's collation. The simulator's shards ignore
/// collations and always compare strings byte by byte.
struct collating {
  bool is_simple = true;   ///< strings are compared byte by byte
  bool is_default = true;  ///< the collation is the collection's default
};

/// A read to send to shards.
struct read_request {
  std::string ns;            ///< the collection's namespace
  document filter;           ///< applied by the shards
  std::string_view command;  ///< the command's name, under which each shard counts it
  collating collation{};
  std::size_t limit = 0;  ///< the number of documents after which each shard may stop; 0: no
                          ///< limit
  variables names{};      ///< the variables that the filter's `$expr` may use
  std::optional<filter_node> targeting{};  ///< the filter that selects the shards;
                                           ///< std::nullopt: `filter`
  bool is_raw = false;  ///< for a time series: reads buckets, not measurements
};

/// Sends a read to the shards that its filter selects, and counts it. The router itself answers
/// for collections of the database `config`, without asking shards. A view's pipeline runs with
/// the filter as its last stage.
[[nodiscard]] std::vector<document_ptr> read(context& at, const read_request& what);

/// The shards that a read with this filter would be sent to. Empty for collections of
/// `config`.
[[nodiscard]] std::set<shard_index> read_targets(const context& at, const std::string& ns,
                                                 const filter_node& filter,
                                                 const collating& collation,
                                                 bool is_raw = false);

/// Whether a command on `ns` refers to a time series' buckets, not its measurements: because
/// of its namespace, or because of `rawData` (mongo: raw_data_operation.h).
[[nodiscard]] bool is_raw(const context& at, const std::string& ns, const document& command);

/// The variables of a command's `let`. Throws command_failure if one can't be evaluated.
[[nodiscard]] variables let_of(const document& command);

/// The simulated version's rules for filters, and the variables `names` that `$expr` may use.
[[nodiscard]] filter_terms filter_terms_of(const context& at, const variables& names);
/// Parses a filter, to select shards by it. `names`: the variables that `$expr` may use.
[[nodiscard]] filter_node filter_for_targeting(const context& at, const document& filter,
                                               const variables& names = {});

/// Throws command_failure if the `skip` of a find or count, or the `limit` of a find, is
/// negative. The code is bad_value for a find before 5.0 (mongo: query_request.cpp, validate),
/// otherwise 51024 (mongo: query/find_command.idl, count_command.idl: gte 0).
void check_counts(const context& at, const document& command);

/// Adds a command that reached `shards` to the counts that each of these shards keeps by the
/// command's name.
void note_reached(context& at, const std::set<shard_index>& shards, std::string_view command);

/// The command's collation, or the collection's default if the command has none.
[[nodiscard]] collating collation_of(const context& at, const std::string& ns,
                                     const document& arguments);

}  // namespace scattergate::sim
