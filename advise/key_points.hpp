#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "advise/shard_key.hpp"
#include "advise/traffic.hpp"

namespace scattergate::advise {

/// The values of one key, or of its first fields, in a traffic.
class key_points {
 public:
  /// Nothing where the traffic doesn't know one of the fields.
  [[nodiscard]] static std::optional<key_points> of(const traffic& in, const shard_key& key);

  /// Calls `visit` for each value that a statement of the request pins the first `fields` of
  /// the key to: their numbers. Bounded where lists multiply.
  void for_each(const request& in, std::size_t fields,
                const std::function<void(std::span<const std::uint32_t>)>& visit) const;

  /// Where equal chunks on so many shards begin, the first one's MinKey left out: encoded,
  /// whole keys, in order. A hash is split evenly, values so that as many distinct ones lie in
  /// each. Empty where there is nothing to go by, or one value at most.
  [[nodiscard]] std::vector<std::vector<std::byte>> bounds(std::size_t shards) const;

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
  std::vector<std::uint32_t> numbers_;  // of the traffic's fields
};

}  // namespace scattergate::advise
