#pragma once

#include <span>

#include "routing/keys/key_encoding.hpp"
#include "routing/scratch.hpp"

namespace scattergate::routing {

/// A range of encoded values (key_encoding.hpp) of one shard key field. `includes_low` and
/// `includes_high` matter for operations on intervals. When mongos compares a range with
/// chunks, it includes both ends (SERVER-4791). An empty `low` or `high` is unknown, for
/// example because memory ran out; the interval then counts as [MinKey, MaxKey].
struct interval {
  bytes_view low;   ///< the encoded low end
  bytes_view high;  ///< the encoded high end
  bool includes_low = true;
  bool includes_high = true;

  /// Whether the range contains exactly one value.
  [[nodiscard]] bool is_point() const noexcept;
};

/// The cost of processing one interval, in units of wire::work_budget.
inline constexpr std::size_t interval_units = 10;

/// A sorted union of disjoint, non-empty intervals. It is a view: of scratch memory, of the
/// argument of of_many(), or (for full()) of a constant. Operations allocate from `memory` and
/// charge its work budget. If an allocation fails, the result is wider than the exact one,
/// never narrower: intersected() returns this set, other operations the full set.
/// Thread-safety: one thread at a time.
class interval_set {
 public:
  /// The empty set.
  interval_set() = default;

  [[nodiscard]] static interval_set full() noexcept;  ///< [MinKey, MaxKey]
  /// The set of all values in one interval.
  [[nodiscard]] static interval_set of(const interval& one, scratch& memory) noexcept;
  /// The set of one encoded value.
  [[nodiscard]] static interval_set point(bytes_view value, scratch& memory) noexcept;

  /// All values of one canonical type.
  [[nodiscard]] static interval_set bracket(canonical_type type, scratch& memory) noexcept;

  /// The union of `unsorted`, in which intervals may overlap. Sorts and merges them in place;
  /// the result is a view of them. Charges the work budget of `memory`, but allocates nothing.
  [[nodiscard]] static interval_set of_many(std::span<interval> unsorted,
                                            scratch& memory) noexcept;

  /// The intervals, sorted and disjoint. Valid as long as the memory that this set views.
  [[nodiscard]] std::span<const interval> intervals() const noexcept { return intervals_; }
  [[nodiscard]] bool is_empty() const noexcept { return intervals_.empty(); }
  /// Whether the set is [MinKey, MaxKey].
  [[nodiscard]] bool is_full() const noexcept;
  /// Whether the set contains exactly one value.
  [[nodiscard]] bool is_one_point() const noexcept;
  [[nodiscard]] bool is_all_points() const noexcept;  ///< false if the set is empty

  /// The intersection of this set and `other`.
  [[nodiscard]] interval_set intersected(const interval_set& other,
                                         scratch& memory) const noexcept;
  /// All values that aren't in this set.
  [[nodiscard]] interval_set complement(scratch& memory) const noexcept;

 private:
  explicit interval_set(std::span<const interval> intervals) noexcept : intervals_(intervals) {}
  std::span<const interval> intervals_;
};

}  // namespace scattergate::routing
