#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::digest {

/// A value that came often, by its hash: between `count - error` and `count` times.
struct frequent_value {
  std::uint64_t hash = 0;
  std::uint64_t count = 0;
  std::uint64_t error = 0;

  [[nodiscard]] std::uint64_t at_least() const noexcept { return count - error; }
  friend bool operator==(const frequent_value&, const frequent_value&) = default;
};

/// The commonest of a stream of hashes (space-saving, Metwally et al. 2005): each value that
/// came more than n/capacity times of n is among them. What isn't came at most floor() times.
/// Adding two (Cafaro et al. 2016) keeps those bounds, whatever the order.
class frequent_values {
 public:
  static constexpr std::size_t capacity = 32;

  void add(std::uint64_t hash) noexcept {
    const std::size_t guess = guesses_[hash % guesses_.size()];
    if (guess < size_ && values_[guess].hash == hash) {
      ++values_[guess].count;
    } else {
      add_slowly(hash);
    }
  }
  void add(const frequent_values& other) noexcept;
  void clear() noexcept { *this = {}; }

  /// In no order.
  [[nodiscard]] std::span<const frequent_value> all() const noexcept {
    return std::span{values_}.first(size_);
  }
  [[nodiscard]] std::uint64_t floor() const noexcept { return floor_; }

  /// The most that one value surely came.
  [[nodiscard]] std::uint64_t most() const noexcept;

  /// REQUIRES: fewer than `capacity` so far, of other values; error <= count.
  void restore(const frequent_value& one) noexcept { values_[size_++] = one; }
  void restore_floor(std::uint64_t floor) noexcept { floor_ = floor; }

 private:
  void add_slowly(std::uint64_t hash) noexcept;
  [[nodiscard]] std::size_t least() noexcept;

  std::array<frequent_value, capacity> values_{};
  std::array<std::uint8_t, 64> guesses_{};  // where a hash was last
  std::uint64_t floor_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t next_ = 0;  // where to look for the least
};

}  // namespace scattergate::digest
