#pragma once

#include <string>
#include <vector>

#include "sim/execution/command.hpp"

/// Documents as commands see them, on the shards that hold them: of a time series the buckets
/// are stored, and commands see measurements, or the buckets themselves.
namespace scattergate::sim {

/// One of them, and where it was found.
struct stored_document {
  shard_index where = 0;
  record_id id = 0;
  document_ptr content;
  std::string row{};  ///< of a measurement: its name in the bucket's columns
};

/// Those of one shard that match, at most `limit` (0: all). `filter` is what `match` was made
/// of. `is_raw`: buckets are meant.
[[nodiscard]] std::vector<stored_document> find_stored(context& at, const collection& of,
                                                       shard_index where,
                                                       const document& filter,
                                                       const matcher& match, bool is_raw,
                                                       std::size_t limit = 0);

/// What is stored for a document that a command writes: a measurement's bucket, else itself.
/// Throws command_failure (5743702, document_validation_failure).
[[nodiscard]] document form_to_store(const collection& of, document content, bool is_raw);

/// Takes it away; a bucket stays while it has further measurements.
void remove_stored(context& at, const collection& of, const stored_document& which);

/// Puts what is to be stored in its place, on the shard `to`.
void replace_stored(context& at, const collection& of, const stored_document& which,
                    document stored, shard_index to);

}  // namespace scattergate::sim
