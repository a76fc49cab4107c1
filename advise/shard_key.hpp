#pragma once

#include <string>
#include <vector>

#include "routing/catalog/catalog.hpp"

namespace scattergate::advise {

/// A shard key's fields, in order.
using shard_key = std::vector<routing::key_field>;

/// Where a candidate comes from.
enum class key_origin : std::uint8_t {
  present,   ///< the collection has it
  named,     ///< somebody asked for it
  proposed,  ///< made of fields that equality pins
};
[[nodiscard]] std::string_view label(key_origin from) noexcept;

/// {"project_id":1,"_id":"hashed"}
[[nodiscard]] std::string key_json(const shard_key& key);

/// The same as people write it: {project_id: 1, _id: "hashed"}
[[nodiscard]] std::string key_text(const shard_key& key);

[[nodiscard]] bool is_same_key(const shard_key& one, const shard_key& other) noexcept;

/// Whether `longer` is `shorter` with more fields behind: what refineCollectionShardKey makes.
[[nodiscard]] bool is_refined(const shard_key& longer, const shard_key& shorter) noexcept;

/// Whether one value of a key with such a path could hold the other: "a" and "a", "a" and
/// "a.b".
[[nodiscard]] bool is_same_or_parent(std::string_view one, std::string_view other) noexcept;

}  // namespace scattergate::advise
