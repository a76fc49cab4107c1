#pragma once

#include <map>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"
#include "wire/bson.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::advise {

/// An index as getIndexes reports it: {key: {...}, name: ..., unique: true}.
struct index {
  std::vector<std::byte> document;  ///< BSON
};

/// Indexes by namespace ("db.collection"), for the collections whose indexes are known.
using known_indexes = std::map<std::string, std::vector<index>, std::less<>>;

/// The names of the unique indexes that MongoDB doesn't allow with this shard key: those that
/// start neither with the whole key nor with _id. For an index without a name: its fields ("a,
/// b").
[[nodiscard]] std::vector<std::string> forbidden_by(const shard_key& key,
                                                    const std::vector<index>& indexes);

/// The fields of each unique index, in order. The index on _id is unique, too.
[[nodiscard]] std::vector<std::vector<std::string>> fields_of_unique(
    const std::vector<index>& indexes);

/// Whether a unique index has exactly the key's fields, in the same order (analyzeShardKey
/// calls it isUnique). False for keys with a hashed field.
[[nodiscard]] bool has_unique_on(const shard_key& key, const std::vector<index>& indexes);

}  // namespace scattergate::advise
