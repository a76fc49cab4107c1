#pragma once

#include <cstddef>
#include <cstdint>

namespace scattergate::routing {

/// A set of shard key fields, each given by its position in the key. A key has at most 64
/// fields. Thread-safety: one thread at a time.
class key_field_set {
 public:
  constexpr key_field_set() noexcept = default;

  /// The set given by a bit mask, in which bit i stands for field i, as in verdict::missing.
  explicit constexpr key_field_set(std::uint64_t bits) noexcept : bits_(bits) {}

  /// The set of all 64 positions.
  [[nodiscard]] static constexpr key_field_set every() noexcept {
    return key_field_set{~std::uint64_t{0}};
  }
  /// The first `count` fields of a key; all 64 positions if `count` is 64 or more.
  [[nodiscard]] static constexpr key_field_set first(std::size_t count) noexcept {
    return count >= most ? every() : key_field_set{(std::uint64_t{1} << count) - 1};
  }

  /// The set as a bit mask: bit i stands for field i.
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr bool is_empty() const noexcept { return bits_ == 0; }
  /// Whether the set contains a field; false for a position of 64 or more.
  [[nodiscard]] constexpr bool contains(std::size_t field) const noexcept {
    return field < most && (bits_ >> field & 1U) != 0;
  }
  /// Adds a field. REQUIRES: `field` < 64.
  constexpr void insert(std::size_t field) noexcept { bits_ |= std::uint64_t{1} << field; }
  /// Removes a field. REQUIRES: `field` < 64.
  constexpr void erase(std::size_t field) noexcept { bits_ &= ~(std::uint64_t{1} << field); }

  /// Adds the fields of `other`.
  constexpr void unite(key_field_set other) noexcept { bits_ |= other.bits_; }
  /// Removes the fields that aren't in `other`.
  constexpr void intersect(key_field_set other) noexcept { bits_ &= other.bits_; }

  /// The fields of this set that aren't in `other`.
  [[nodiscard]] constexpr key_field_set without(key_field_set other) const noexcept {
    return key_field_set{bits_ & ~other.bits_};
  }

  friend constexpr bool operator==(key_field_set, key_field_set) noexcept = default;

 private:
  static constexpr std::size_t most = 64;

  std::uint64_t bits_ = 0;
};

}  // namespace scattergate::routing
