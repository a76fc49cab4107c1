#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::digest {

/// How many distinct values there were, by their hashes: a HyperLogLog of 2,048 registers
/// (Flajolet et al. 2007), read by Ertl's improved estimator (arXiv:1702.01284). Adding two is
/// the same as having seen both.
class cardinality {
 public:
  static constexpr std::size_t index_bits = 11;
  static constexpr std::size_t registers = 1U << index_bits;
  static constexpr std::uint8_t highest = 64 - index_bits + 1;  ///< that a register holds
  /// One standard error of the estimate, relative.
  static constexpr double error = 0.023;

  void add(std::uint64_t hash) noexcept {
    const std::size_t index = hash >> (64U - index_bits);
    const std::uint64_t rest = hash << index_bits | 1U << (index_bits - 1);
    const auto rank = static_cast<std::uint8_t>(__builtin_clzll(rest) + 1);
    if (rank > registers_[index]) registers_[index] = rank;
  }
  void add(const cardinality& other) noexcept;

  [[nodiscard]] double estimate() const noexcept;

  [[nodiscard]] std::span<const std::uint8_t, registers> all() const noexcept {
    return registers_;
  }
  /// REQUIRES: rank <= highest.
  void restore(std::size_t index, std::uint8_t rank) noexcept { registers_[index] = rank; }

  friend bool operator==(const cardinality&, const cardinality&) = default;

 private:
  std::array<std::uint8_t, registers> registers_{};
};

}  // namespace scattergate::digest
