#pragma once

#include <map>
#include <string>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "wire/bson.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::advise {

/// The fields of a shard key, in order. Each is ranged or hashed.
using shard_key = std::vector<routing::key_field>;

/// The origin of a candidate key.
enum class key_origin : std::uint8_t {
  present,   ///< the collection's present key: its shard key now
  named,     ///< a key that the user named
  proposed,  ///< composed from fields that filters limit to single values by equality
};
/// The origin's name in JSON and text.
[[nodiscard]] std::string_view label(key_origin from) noexcept;

/// Formats a key as JSON: {"project_id":1,"_id":"hashed"}.
[[nodiscard]] std::string key_json(const shard_key& key);

/// Formats a key as in mongosh: {project_id: 1, _id: "hashed"}.
[[nodiscard]] std::string key_text(const shard_key& key);

/// Whether the keys have the same fields in the same order, each ranged or hashed in both.
[[nodiscard]] bool is_same_key(const shard_key& one, const shard_key& other) noexcept;

/// Whether `longer` is `shorter` with at least one field appended, as refineCollectionShardKey
/// appends them. False if `shorter` is empty.
[[nodiscard]] bool is_refinement_of(const shard_key& longer, const shard_key& shorter) noexcept;

/// Whether the field paths are equal, or one is a parent of the other: "a" and "a", "a" and
/// "a.b", "a.b" and "a".
[[nodiscard]] bool is_same_or_parent(std::string_view one, std::string_view other) noexcept;

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
