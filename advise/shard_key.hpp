#pragma once

#include <string>
#include <vector>

#include "routing/catalog/catalog.hpp"

namespace scattergate::advise {

/// The fields of a shard key, in order.
using shard_key = std::vector<routing::key_field>;

/// The origin of a candidate key.
enum class key_origin : std::uint8_t {
  present,   ///< the collection's present key
  named,     ///< the user named it
  proposed,  ///< composed from fields that filters pin by equality
};
/// The origin's name in JSON and text.
[[nodiscard]] std::string_view label(key_origin from) noexcept;

/// Formats a key as JSON: {"project_id":1,"_id":"hashed"}
[[nodiscard]] std::string key_json(const shard_key& key);

/// Formats a key as in mongosh: {project_id: 1, _id: "hashed"}
[[nodiscard]] std::string key_text(const shard_key& key);

/// Whether the keys have the same fields, in the same order and hashed alike.
[[nodiscard]] bool is_same_key(const shard_key& one, const shard_key& other) noexcept;

/// Whether `longer` is `shorter` with fields appended, as refineCollectionShardKey does.
[[nodiscard]] bool is_refined(const shard_key& longer, const shard_key& shorter) noexcept;

/// Whether one path equals the other or is a parent of it: "a" and "a", "a" and "a.b".
[[nodiscard]] bool is_same_or_parent(std::string_view one, std::string_view other) noexcept;

}  // namespace scattergate::advise
