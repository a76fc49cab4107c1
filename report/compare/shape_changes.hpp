#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "digest/table.hpp"
#include "wire/label_table.hpp"

namespace scattergate::report {

/// How a shape has changed between two digests. A shape is a command without its values; a
/// digest is a table of shapes. `same`: neither worse nor better.
enum class change : std::uint8_t { is_new, gone, worse, better, same };
/// The name in JSON: "new", "gone", "worse", "better" or "same".
[[nodiscard]] std::string_view label(change of) noexcept;
inline constexpr std::size_t change_count = wire::enum_count<change>();

/// The properties of a shape that are compared; `time` is the commands' total duration.
enum class aspect : std::uint8_t { routing, fanout, count, time };
/// The name in JSON: "routing", "fanout", "count" or "time".
[[nodiscard]] std::string_view label(aspect of) noexcept;
inline constexpr std::size_t aspect_count = wire::enum_count<aspect>();

/// For each aspect of a shape: worse (1), better (-1) or neither (0).
using aspects = std::array<int, aspect_count>;

/// A shape in two digests. Points to rows of the two tables.
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

/// The period that a digest covers, in hours; std::nullopt if it is unknown or shorter than a
/// second.
[[nodiscard]] std::optional<double> hours_of(const digest::totals& of) noexcept;

/// The changes of all shapes between two digests. Counts and times are compared per hour if
/// both digests state their period, otherwise as absolute values.
///
/// A shape is worse in an aspect if the later digest has:
/// - routing: a routing class that needs more attention;
/// - fanout: more than 1.1 times the shards per command, on average;
/// - count: more than 1.5 times the commands, and at least five in one of the digests;
/// - time: more than 1.5 times the total duration, and at least 10 ms and five commands in one
///   of the digests.
/// Better is the reverse. A shape that is worse in one aspect is worse, even if another aspect
/// is better.
class shape_changes {
 public:
  /// Both tables must outlive this object unchanged.
  shape_changes(const digest::table& before, const digest::table& after);

  /// The changes of one kind. First come the shapes whose routing depends on a filter or
  /// documents (digest::can_be_finding()), then the others. Within both groups, the most
  /// expensive shape is first.
  [[nodiscard]] const std::vector<shape_change>& of(change kind) const noexcept {
    return by_kind_[static_cast<std::size_t>(kind)];
  }
  /// Whether counts and times are compared per hour.
  [[nodiscard]] bool is_by_hour() const noexcept { return is_by_hour_; }
  /// The period of the earlier digest in hours; 1 if is_by_hour() is false.
  [[nodiscard]] double hours_before() const noexcept { return hours_before_; }
  /// The period of the later digest in hours; 1 if is_by_hour() is false.
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
