#pragma once

#include <string>
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

}  // namespace scattergate::sim
