#pragma once

#include <string>
#include <vector>

#include "sim/execution/command.hpp"

/// Reads and writes documents on the shards that hold them, in the form that commands use. A
/// time series stores buckets, while commands use measurements or, with `is_raw`, the buckets.
namespace scattergate::sim {

/// A document and its location.
struct stored_document {
  shard_index where = 0;
  record_id id = 0;
  document_ptr content;
  std::string row{};  ///< for a measurement: the field name of its values in the bucket's
                      ///< columns
};

/// The documents of one shard that match, at most `limit` (0: all). REQUIRES: `match` was made
/// from `filter`. `is_raw`: for a time series, buckets.
[[nodiscard]] std::vector<stored_document> find_stored(context& at, const collection& of,
                                                       shard_index shard,
                                                       const document& filter,
                                                       const matcher& match, bool is_raw,
                                                       std::size_t limit = 0);

/// The form in which a document is stored: for a measurement, a bucket; otherwise the document
/// itself. Throws command_failure (5743702, document_validation_failure).
[[nodiscard]] document form_to_store(const collection& of, document content, bool is_raw);

/// Removes a document. Removing a measurement keeps the bucket while it contains others.
void remove_stored(context& at, const collection& of, const stored_document& which);

/// Replaces a document by `stored`, a document in stored form, on the shard `to`.
void replace_stored(context& at, const collection& of, const stored_document& which,
                    document stored, shard_index to);

}  // namespace scattergate::sim
