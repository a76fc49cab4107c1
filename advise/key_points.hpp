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

/// The points of a shard key that commands ask for. A point is a combination of values, one for
/// each of the key's fields, or for each of its first fields. Refers to the traffic and the
/// key, which must outlive this object.
class key_points {
 public:
  /// The points of `key`; std::nullopt if traffic::fields() lacks one of its fields.
  [[nodiscard]] static std::optional<key_points> of(const traffic& sent, const shard_key& key);

  /// Calls `visit` for each point to which the command's statements pin the first `fields`
  /// fields of the key. In the point, each value is an index into its field's field_values.
  /// Visits at most 64 points per statement, because the lengths of `$in` lists multiply.
  void for_each(const weighted_command& in, std::size_t fields,
                const std::function<void(std::span<const std::uint32_t>)>& visit) const;

  /// Splits the key's range into one chunk per shard. Returns the lower bounds of all chunks
  /// but the first, as encoded complete keys, in order. If the key's first field is hashed, the
  /// chunks are equal ranges of hashes. Otherwise, each chunk has about equally many of the
  /// distinct points in the traffic that isn't held out; if there are fewer points than shards,
  /// there are only as many chunks as points. `window`: empty if nothing is held out.
  [[nodiscard]] std::vector<std::vector<std::byte>> bounds(
      std::size_t shards, const std::optional<time_window>& window) const;

  /// The number of the key's fields.
  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
  /// The key whose points these are.
  [[nodiscard]] const shard_key& key() const noexcept { return *key_; }
  /// The traffic's values of the key's field `i`. REQUIRES: i < size().
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
