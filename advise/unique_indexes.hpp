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
  std::vector<std::byte> document;
};

/// Indexes by namespace, for the collections whose indexes are known.
using known_indexes = std::map<std::string, std::vector<index>, std::less<>>;

/// The names of the unique indexes that a collection with this key can't have: those that begin
/// neither with the whole key nor with _id.
[[nodiscard]] std::vector<std::string> forbidden_by(const shard_key& key,
                                                    const std::vector<index>& indexes);

/// Whether one of the indexes is unique on just the fields of the key, as analyzeShardKey asks.
[[nodiscard]] bool has_unique_on(const shard_key& key, const std::vector<index>& indexes);

}  // namespace scattergate::advise
