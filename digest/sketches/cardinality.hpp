#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scattergate::digest {

/// Estimates the number of distinct values from their hashes. A HyperLogLog (Flajolet, Fusy,
/// Gandouet, Meunier) with Ertl's estimator ("New cardinality estimation algorithms for
/// HyperLogLog sketches"). Mergeable. Thread-safety: one thread at a time.
class cardinality {
 public:
  /// The number of a hash's bits that select the register.
  static constexpr unsigned index_bits = 11;
  /// The number of registers.
  static constexpr std::size_t size = std::size_t{1} << index_bits;
  /// The estimate's relative standard error: 1.04 / sqrt(size).
  static constexpr double standard_error = 0.023;

  /// Counts a value by its hash.
  void add(std::uint64_t hash) noexcept {
    const std::size_t at = hash >> (64U - index_bits);
    const auto rank =
        static_cast<std::uint8_t>(std::countl_zero(hash << index_bits | last) + 1);
    if (registers_[at] < rank) registers_[at] = rank;
  }
  /// Merges another sketch. REQUIRES: both have hashes of the same salt.
  void add(const cardinality& other) noexcept;

  /// The estimated number of distinct values.
  [[nodiscard]] double estimate() const noexcept;

  /// Formats the registers as `size` characters.
  [[nodiscard]] std::string text() const;
  /// Parses the output of text(); std::nullopt if it is invalid.
  [[nodiscard]] static std::optional<cardinality> from(std::string_view text);

  friend bool operator==(const cardinality&, const cardinality&) = default;

 private:
  /// Set just below the hash's remaining bits, so that countl_zero() stops there and the rank
  /// is at most max_rank.
  static constexpr std::uint64_t last = std::uint64_t{1} << (index_bits - 1U);
  static constexpr unsigned max_rank = 64U - index_bits + 1U;

  std::array<std::uint8_t, size> registers_{};
};

}  // namespace scattergate::digest
