#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "advise/shard_key.hpp"
#include "advise/time_window.hpp"
#include "advise/traffic.hpp"

namespace scattergate::advise {

/// The points of a shard key that a collection's commands use. A point is a combination of
/// values, one for each of the key's fields, or for each of its first fields. Refers to the
/// traffic and the key, which must outlive this object.
class key_points {
 public:
  /// The points of `key`; std::nullopt if traffic::fields() lacks one of its fields.
  [[nodiscard]] static std::optional<key_points> of(const traffic& sent, const shard_key& key);

  /// Calls `visit` for each point of the key's first `fields` fields that a statement of the
  /// command uses: its filter pins these fields to the point's values, or its new document has
  /// them. `visit` gets a point as one index for each field, into the field's field_values.
  /// Visits at most 64 points per statement, because the lengths of `$in` lists multiply.
  void for_each(const weighted_command& in, std::size_t fields,
                const std::function<void(std::span<const std::uint32_t>)>& visit) const;

  /// Splits the key's range into one chunk per shard. Returns the lower bounds of all chunks
  /// but the first, in order, each as an encoded complete key. If the key's first field is
  /// hashed, the chunks are equal ranges of hashes. Otherwise, each chunk has about equally
  /// many distinct points of the key's first (at most three) fields; if there are fewer points
  /// than shards, there are only as many chunks as points. Ignores commands that `window` holds
  /// out; an empty `window` holds out none.
  [[nodiscard]] std::vector<std::vector<std::byte>> bounds(
      std::size_t shards, const std::optional<time_window>& window) const;

  /// The number of the key's fields.
  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
  /// The key whose points these are.
  [[nodiscard]] const shard_key& key() const noexcept { return *key_; }
  /// The values in the traffic of the key's field number `i`. REQUIRES: i < size().
  [[nodiscard]] const field_values& field(std::size_t i) const noexcept {
    return in_->fields()[numbers_[i]];
  }

 private:
  key_points(const traffic& sent, const shard_key& key) : in_(&sent), key_(&key) {}
  [[nodiscard]] std::vector<std::byte> bound_of(std::span<const std::uint64_t> place) const;
  [[nodiscard]] std::vector<std::vector<std::byte>> hash_bounds(std::size_t shards) const;

  const traffic* in_;
  const shard_key* key_;
  std::vector<std::uint32_t> numbers_;  // of each key field: its index in traffic::fields()
};

}  // namespace scattergate::advise
