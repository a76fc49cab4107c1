#pragma once

#include <string>
#include <vector>

#include "sim/execution/command.hpp"

/// Reads and writes documents on the shards that hold them, in the form that commands use. A
/// time series stores buckets, while commands use measurements or, with `is_raw`, the buckets.
namespace scattergate::sim {

/// A document, or a measurement of a time series, and its location.
struct stored_document {
  shard_index where = 0;  ///< the shard
  record_id id = 0;       ///< the number of the document, or of the measurement's bucket
  document_ptr content;   ///< the document or measurement
  std::string row{};      ///< for a measurement: the name of the measurement's fields in the
                          ///< bucket's columns, such as "0"; otherwise empty
};

/// The documents of one shard that match, at most `limit` (0: all). `is_raw`: returns the
/// buckets of a time series, not measurements. REQUIRES: `match` was made from `filter`.
[[nodiscard]] std::vector<stored_document> find_stored(context& at, const collection& of,
                                                       shard_index shard,
                                                       const document& filter,
                                                       const matcher& match, bool is_raw,
                                                       std::size_t limit = 0);

/// The form in which a document is stored: a bucket for a measurement of a time series,
/// otherwise the document itself. `is_raw`: `content` is already a bucket. Throws
/// command_failure (5743702, document_validation_failure).
[[nodiscard]] document form_to_store(const collection& of, document content, bool is_raw);

/// Removes a document or a measurement. A bucket stays as long as it contains a measurement.
void remove_stored(context& at, const collection& of, const stored_document& which);

/// Replaces a document by `stored`, the result of form_to_store(). `to`: the shard that stores
/// the new document.
void replace_stored(context& at, const collection& of, const stored_document& which,
                    document stored, shard_index to);

}  // namespace scattergate::sim
