#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace scattergate::digest {

/// The first 16 bytes of a value in the encoding that sorts as MongoDB does
/// (routing/keys/key_encoding.hpp). It is of the value itself: never store or send it.
struct value_head {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  friend auto operator<=>(const value_head&, const value_head&) = default;
};

/// Whether values grow or shrink with the order in which they arrive: the rank correlation
/// (Spearman's) of a uniform sample. New documents decide if there are any, as for
/// analyzeShardKey; else the values of queries. Only the coefficient outlives the process.
class value_order {
 public:
  static constexpr std::size_t samples = 32;
  /// Fewer values have no order.
  static constexpr std::uint64_t least_values = 10;

  void add(const value_head& value, bool is_insert) noexcept {
    if (is_insert != is_of_inserts_ && !change_to(is_insert)) return;
    if (seen_++ >= next_) take(value);
  }

  struct result {
    std::uint64_t values = 0;  ///< how many it is of
    double correlation = 0;    ///< -1 to 1
    bool is_of_inserts = false;
  };
  [[nodiscard]] std::optional<result> measured() const;

  /// Adds what another one has measured, weighted by its values.
  void add(const result& other) noexcept;

 private:
  [[nodiscard]] bool change_to(bool inserts) noexcept;
  void take(const value_head& value) noexcept;
  [[nodiscard]] double draw() noexcept;
  [[nodiscard]] double correlation() const;

  struct sample {
    value_head value;
    std::uint64_t at = 0;  // its place in the order of arrival
  };
  std::array<sample, samples> kept_{};
  std::uint64_t seen_ = 0;
  std::uint64_t next_ = 0;  // the place of the next value to take
  double threshold_ = 1;    // of the sampling: Li's algorithm L
  std::uint64_t random_ = 0x9e3779b97f4a7c15U;
  std::optional<result> others_;
  bool is_of_inserts_ = false;
};

}  // namespace scattergate::digest
