#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace scattergate::telemetry {

/// A bitmap over `Size` counters, with which readers skip counters that are zero. The writer
/// sets a counter's bit when it first counts there. Thread-safety: call set() from one thread
/// at a time, add_to() from any; add_to() may miss concurrent calls of set().
template <std::size_t Size>
class marks {
 public:
  /// Sets the bit of the counter at this index.
  void set(std::size_t at) noexcept {
    std::atomic<std::uint64_t>& word = words_[at / bits];
    const std::uint64_t bit = std::uint64_t{1} << (at % bits);
    const std::uint64_t had = word.load(std::memory_order_relaxed);
    if ((had & bit) == 0) word.store(had | bit, std::memory_order_relaxed);
  }

  /// Sets all bits in `others` that are set here.
  void add_to(std::array<std::uint64_t, (Size + 63) / 64>& others) const noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      others[i] |= words_[i].load(std::memory_order_relaxed);
    }
  }

 private:
  static constexpr std::size_t bits = 64;
  std::array<std::atomic<std::uint64_t>, (Size + bits - 1) / bits> words_{};
};

/// The union of the bitmaps (marks) of several writers. Thread-safety: one thread.
template <std::size_t Size>
class merged_marks {
 public:
  /// Adds the set bits of another bitmap.
  void add(const marks<Size>& more) noexcept { more.add_to(words_); }

  /// Calls `use(index)` for each set bit, in ascending order.
  template <typename Use>
  void for_each(const Use& use) const {
    constexpr std::size_t bits = 64;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
        use(i * bits + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  std::array<std::uint64_t, (Size + 63) / 64> words_{};
};

}  // namespace scattergate::telemetry
