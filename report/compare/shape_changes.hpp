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

/// How a shape stands in the later of two digests.
enum class change : std::uint8_t { is_new, gone, worse, better, same };
[[nodiscard]] std::string_view label(change of) noexcept;
inline constexpr std::size_t change_count = wire::enum_count<change>();

/// What of a shape is compared.
enum class aspect : std::uint8_t { routing, fanout, count, time };
[[nodiscard]] std::string_view label(aspect of) noexcept;
inline constexpr std::size_t aspect_count = wire::enum_count<aspect>();

/// Whether each aspect of a shape became worse (1), better (-1) or neither (0).
using aspects = std::array<int, aspect_count>;

/// A shape in two digests.
struct shape_change {
  const digest::row* before = nullptr;  ///< null: new
  const digest::row* after = nullptr;   ///< null: gone
  change is = change::same;
  aspects by{};

  /// The later one, or the one that is gone.
  [[nodiscard]] const digest::row& shape() const noexcept {
    return after != nullptr ? *after : *before;
  }
};

/// The time that a digest counts over, in hours; nothing where it isn't known, or too short to
/// make a rate of.
[[nodiscard]] std::optional<double> hours_of(const digest::totals& of) noexcept;

/// What became of each shape. Counts and times are compared by hour, where both digests say
/// over which time they count, else as they are.
///
/// Worse: a class that asks for more attention; a tenth more shards to a command on average;
/// half as many commands again, or half as much time again, where at least five commands, and
/// 10 ms, were counted. Better is the reverse. What became worse in one aspect is worse,
/// whatever else became better.
class shape_changes {
 public:
  /// Both stay where they are.
  shape_changes(const digest::table& before, const digest::table& after);

  /// Those of one kind, the costliest first, as the report ranks them: what can be no finding
  /// comes last.
  [[nodiscard]] const std::vector<shape_change>& of(change kind) const noexcept {
    return by_kind_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] bool is_by_hour() const noexcept { return is_by_hour_; }
  /// So many hours each; 1 where is_by_hour() is false.
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
