#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "digest/table.hpp"
#include "wire/enum_count.hpp"

namespace scattergate::report {

/// The state of a shape in the later of two digests.
enum class change : std::uint8_t { is_new, gone, worse, better, same };
[[nodiscard]] std::string_view label(change of) noexcept;
inline constexpr std::size_t change_count = wire::enum_count<change>();

/// The properties of a shape that are compared.
enum class aspect : std::uint8_t { routing, fanout, count, time };
[[nodiscard]] std::string_view label(aspect of) noexcept;
inline constexpr std::size_t aspect_count = wire::enum_count<aspect>();

/// For each aspect of a shape: worse (1), better (-1) or neither (0).
using aspects = std::array<int, aspect_count>;

/// A shape in two digests.
struct shape_change {
  const digest::row* before = nullptr;  ///< null: the shape is new
  const digest::row* after = nullptr;   ///< null: the shape is gone
  change is = change::same;
  aspects by{};  ///< what has become worse or better; all 0 if new or gone

  /// The later row, or the earlier one if the shape is gone.
  [[nodiscard]] const digest::row& shape() const noexcept {
    return after != nullptr ? *after : *before;
  }
};

/// The period of a digest in hours; nothing if it is unknown or too short for a rate.
[[nodiscard]] std::optional<double> hours_of(const digest::totals& of) noexcept;

/// The changes of all shapes between two digests. Counts and times are compared per hour if
/// both digests state their period, otherwise as absolute values.
///
/// Worse means: a routing class that needs more attention; a tenth more shards per command on
/// average; or one and a half times the commands (if at least five) or the time (if at least
/// 10 ms). Better is the reverse. A shape that is worse in one aspect is worse, even if another
/// aspect is better.
class shape_changes {
 public:
  /// Both must outlive this object unchanged.
  shape_changes(const digest::table& before, const digest::table& after);

  /// The changes of one kind, the most expensive first, in the report's ranking: shapes that
  /// can't be findings come last.
  [[nodiscard]] const std::vector<shape_change>& of(change kind) const noexcept {
    return by_kind_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] bool is_by_hour() const noexcept { return is_by_hour_; }
  /// The hours to divide by; 1 if is_by_hour() is false.
  [[nodiscard]] double hours_before() const noexcept { return hours_before_; }
  [[nodiscard]] double hours_after() const noexcept { return hours_after_; }

 private:
  [[nodiscard]] shape_change compared(const digest::row& before,
                                      const digest::row& after) const;

  bool is_by_hour_ = false;
  double hours_before_ = 1;
  double hours_after_ = 1;
  std::array<std::vector<shape_change>, change_count> by_kind_;
};

}  // namespace scattergate::report
