#pragma once

#include <span>

#include "routing/keys/key_encoding.hpp"
#include "routing/scratch.hpp"

namespace scattergate::routing {

/// A range of encoded values of one shard key field. An end that is excluded matters to set
/// algebra only: when ranges meet chunks, mongos counts it in (SERVER-4791).
struct interval {
  bytes_view low;
  bytes_view high;
  bool includes_low = true;
  bool includes_high = true;

  [[nodiscard]] bool is_point() const noexcept;
};

/// What it costs to handle one interval, in units of work_budget.
inline constexpr std::size_t interval_units = 10;

/// A union of intervals: sorted, disjoint, none empty; a view over scratch. The algebra
/// allocates from the scratch, which pays for it too; where that is exhausted the result is the
/// full set, or one of those that were to be intersected (wider, never narrower).
/// Thread-safety: as its scratch.
class interval_set {
 public:
  /// The empty set.
  interval_set() = default;

  [[nodiscard]] static interval_set full() noexcept;  ///< [MinKey, MaxKey]
  [[nodiscard]] static interval_set of(const interval& one, scratch& memory) noexcept;
  [[nodiscard]] static interval_set point(bytes_view value, scratch& memory) noexcept;

  /// Every value of one canonical type.
  [[nodiscard]] static interval_set bracket(canonical_type type, scratch& memory) noexcept;

  /// The union of any number of intervals in any order (sorts and merges them in place, for
  /// which `memory` pays).
  [[nodiscard]] static interval_set of_many(std::span<interval> unsorted,
                                            scratch& memory) noexcept;

  [[nodiscard]] std::span<const interval> intervals() const noexcept { return intervals_; }
  [[nodiscard]] bool is_empty() const noexcept { return intervals_.empty(); }
  [[nodiscard]] bool is_full() const noexcept;
  [[nodiscard]] bool is_all_points() const noexcept;  ///< and not empty

  [[nodiscard]] interval_set united(const interval_set& other, scratch& memory) const noexcept;
  [[nodiscard]] interval_set intersected(const interval_set& other,
                                         scratch& memory) const noexcept;
  [[nodiscard]] interval_set complement(scratch& memory) const noexcept;

 private:
  explicit interval_set(std::span<const interval> intervals) noexcept : intervals_(intervals) {}
  std::span<const interval> intervals_;
};

}  // namespace scattergate::routing
