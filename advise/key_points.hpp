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

/// The points of a shard key that commands ask for. A point has one value for each of the
/// key's fields, or for each of its first fields.
class key_points {
 public:
  /// The points of `key`; std::nullopt if one of its fields isn't among the traffic's fields.
  [[nodiscard]] static std::optional<key_points> of(const traffic& in, const shard_key& key);

  /// Calls `visit` for each point to which a statement of the request pins the first `fields`
  /// fields of the key; a value is an index into its field_values. The number of points per
  /// statement is limited, because combinations of `$in` lists multiply.
  void for_each(const request& in, std::size_t fields,
                const std::function<void(std::span<const std::uint32_t>)>& visit) const;

  /// Splits the key's range into one chunk per shard. Returns the lower bounds of all chunks
  /// but the first, as encoded complete keys, in order. Hashed fields are split into equal
  /// ranges; others so that each chunk has equally many of the distinct points that occur
  /// before the held-out part. Empty if there are fewer than two points.
  [[nodiscard]] std::vector<std::vector<std::byte>> bounds(
      std::size_t shards, const std::optional<time_window>& window) const;

  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
  [[nodiscard]] const shard_key& key() const noexcept { return *key_; }
  [[nodiscard]] const field_values& field(std::size_t i) const noexcept {
    return in_->fields()[numbers_[i]];
  }

 private:
  key_points(const traffic& in, const shard_key& key) : in_(&in), key_(&key) {}
  [[nodiscard]] std::vector<std::byte> bound_of(std::span<const std::uint64_t> place) const;
  [[nodiscard]] std::vector<std::vector<std::byte>> hash_bounds(std::size_t shards) const;

  const traffic* in_;
  const shard_key* key_;
  std::vector<std::uint32_t> numbers_;  // indexes into the traffic's fields
};

}  // namespace scattergate::advise
