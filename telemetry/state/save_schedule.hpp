#pragma once

#include <chrono>

namespace scattergate::telemetry {

/// Decides when the state file is written (a save), so that a crash loses the counts of at
/// most one `interval`. Each save starts less than an interval after the previous save. The
/// longer recent saves took, the earlier the next one starts. Thread-safety: one thread at a
/// time.
class save_schedule {
 public:
  using clock = std::chrono::steady_clock;

  explicit save_schedule(clock::duration interval) noexcept : interval_(interval) {}

  /// Call it when a save has succeeded. `taken`: when the save started. `has_all`: whether the
  /// save has all counts until `taken`. `done`: when the save became durable. Returns the time
  /// that the oldest of the saved counts waited to become durable: a crash just before `done`
  /// would have lost the counts of that time.
  clock::duration note_saved(clock::time_point taken, clock::time_point done,
                             bool has_all) noexcept;
  /// Call it when a save has failed. The next note_saved() then returns only the time that its
  /// own save took.
  void note_failed() noexcept { is_known_ = false; }

  /// When the next save starts, after the save that started at `taken`: half to nine tenths of
  /// an interval later.
  [[nodiscard]] clock::time_point next(clock::time_point taken) const noexcept;

 private:
  clock::duration interval_;
  clock::duration longest_{0};  // longest time of recent saves; decays slowly
  clock::time_point saved_up_to_;
  bool is_known_ = false;  // whether saved_up_to_ is set
};

}  // namespace scattergate::telemetry
