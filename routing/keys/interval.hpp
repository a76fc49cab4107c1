#pragma once

#include <span>

#include "routing/keys/key_encoding.hpp"
#include "routing/scratch.hpp"

namespace scattergate::routing {

/// A range of encoded values (key_encoding.hpp) of one shard key field. Whether an end is
/// included matters only when intervals are united, intersected or complemented: when mongos
/// compares a range with chunks, it includes both ends (SERVER-4791). An empty `low` or `high`
/// is unknown, for example because memory ran out; the interval then counts as [MinKey,
/// MaxKey].
struct interval {
  bytes_view low;
  bytes_view high;
  bool includes_low = true;
  bool includes_high = true;

  /// Whether the range contains exactly one value.
  [[nodiscard]] bool is_point() const noexcept;
};

/// The cost of processing one interval, in units of wire::work_budget.
inline constexpr std::size_t interval_units = 10;

/// A sorted union of disjoint, non-empty intervals; a view of scratch memory. Operations
/// allocate from `memory` and charge its work budget. If either is exhausted, the result is
/// wider than the exact one, never narrower: the full set, or one of the sets to intersect.
/// Thread-safety: as for the scratch memory.
class interval_set {
 public:
  /// The empty set.
  interval_set() = default;

  [[nodiscard]] static interval_set full() noexcept;  ///< [MinKey, MaxKey]
  [[nodiscard]] static interval_set of(const interval& one, scratch& memory) noexcept;
  [[nodiscard]] static interval_set point(bytes_view value, scratch& memory) noexcept;

  /// All values of one canonical type.
  [[nodiscard]] static interval_set bracket(canonical_type type, scratch& memory) noexcept;

  /// The union of `unsorted`, in which intervals may overlap. Sorts and merges them in place,
  /// and charges the work budget of `memory`.
  [[nodiscard]] static interval_set of_many(std::span<interval> unsorted,
                                            scratch& memory) noexcept;

  [[nodiscard]] std::span<const interval> intervals() const noexcept { return intervals_; }
  [[nodiscard]] bool is_empty() const noexcept { return intervals_.empty(); }
  [[nodiscard]] bool is_full() const noexcept;
  [[nodiscard]] bool is_all_points() const noexcept;  ///< false if the set is empty

  [[nodiscard]] interval_set united(const interval_set& other, scratch& memory) const noexcept;
  [[nodiscard]] interval_set intersected(const interval_set& other,
                                         scratch& memory) const noexcept;
  [[nodiscard]] interval_set complement(scratch& memory) const noexcept;

 private:
  explicit interval_set(std::span<const interval> intervals) noexcept : intervals_(intervals) {}
  std::span<const interval> intervals_;
};

}  // namespace scattergate::routing
