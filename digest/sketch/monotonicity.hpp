#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "digest/sketch/value_hash.hpp"

namespace scattergate::digest {

/// Whether values grow as they arrive, so that inserts would all go to the chunk at one end.
/// Of a window of values a sample is kept, and each value of the next window is compared with
/// two of it: is it above most of them, or below? A window lasts until 32 values and 2 s have
/// passed, so that values that several clients make at the same time, as ObjectIds, don't count
/// for disorder. What it counts is mergeable; the samples stay in memory.
class monotonicity {
 public:
  enum class direction : std::uint8_t { unknown, none, increasing, decreasing };

  /// What came of the comparisons; values beside those equal to both were compared.
  struct counts {
    std::uint64_t compared = 0;
    std::uint64_t ascending = 0;   ///< above most of the window before
    std::uint64_t descending = 0;  ///< below most

    void add(const counts& other) noexcept {
      compared += other.compared;
      ascending += other.ascending;
      descending += other.descending;
    }
    /// Three quarters one way, of 100 at least.
    [[nodiscard]] direction told() const noexcept;

    friend bool operator==(const counts&, const counts&) = default;
  };

  /// `second`: when, in seconds; 0 where that isn't known, and then windows are of 1,024
  /// values.
  void add(const order_key& value, std::int64_t second) noexcept;
  void add(const counts& others) noexcept { counts_.add(others); }

  [[nodiscard]] const counts& all() const noexcept { return counts_; }

 private:
  static constexpr std::size_t sample_size = 9;

  [[nodiscard]] bool is_over(std::int64_t second) const noexcept;
  void begin_window(std::int64_t second) noexcept;

  counts counts_;
  std::array<order_key, sample_size> sample_;  // of this window
  order_key high_, low_;                       // of the window before
  std::int64_t begun_ = 0;                     // second
  std::uint32_t size_ = 0;                     // of this window, in values
  std::uint32_t random_ = 1;
  bool has_before_ = false;
};

}  // namespace scattergate::digest
