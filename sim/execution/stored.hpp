#pragma once

#include <string>
#include <vector>

#include "sim/execution/command.hpp"

/// Documents as commands see them, on the shards that hold them: a time series stores buckets,
/// and commands see measurements, or the buckets themselves.
namespace scattergate::sim {

/// A document and its location.
struct stored_document {
  shard_index where = 0;
  record_id id = 0;
  document_ptr content;
  std::string row{};  ///< for a measurement: its name in the bucket's columns
};

/// The matching documents of one shard, at most `limit` (0: all). `match` was made from
/// `filter`. `is_raw`: buckets.
[[nodiscard]] std::vector<stored_document> find_stored(context& at, const collection& of,
                                                       shard_index where,
                                                       const document& filter,
                                                       const matcher& match, bool is_raw,
                                                       std::size_t limit = 0);

/// The stored form of a document that a command writes: a measurement's bucket, or else the
/// document itself. Throws command_failure (5743702, document_validation_failure).
[[nodiscard]] document form_to_store(const collection& of, document content, bool is_raw);

/// Removes a document; a bucket stays while it has other measurements.
void remove_stored(context& at, const collection& of, const stored_document& which);

/// Replaces a document by `stored`, on the shard `to`.
void replace_stored(context& at, const collection& of, const stored_document& which,
                    document stored, shard_index to);

}  // namespace scattergate::sim
