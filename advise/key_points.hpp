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

/// The values of a shard key, or of its first fields, that occur in a traffic.
class key_points {
 public:
  /// The points of `key`; std::nullopt if one of its fields isn't among the traffic's fields.
  [[nodiscard]] static std::optional<key_points> of(const traffic& in, const shard_key& key);

  /// Calls `visit` for each value, as numbers, to which a statement of the request pins the
  /// first `fields` fields of the key. Bounded, because combinations of lists multiply.
  void for_each(const request& in, std::size_t fields,
                const std::function<void(std::span<const std::uint32_t>)>& visit) const;

  /// The lower bounds of equal chunks on this many shards, without the first chunk's MinKey:
  /// encoded complete keys, in order. A hashed field is split into equal ranges, other values
  /// into ranges with equally many distinct values, of those that occur before the held-out
  /// part. Empty if there are no values, or just one.
  [[nodiscard]] std::vector<std::vector<std::byte>> bounds(
      std::size_t shards, const std::optional<time_window>& window) const;

  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
  [[nodiscard]] bool is_hashed(std::size_t i) const noexcept { return (*key_)[i].hashed; }
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
