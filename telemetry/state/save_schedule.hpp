#pragma once

#include <chrono>

namespace scattergate::telemetry {

/// Decides when the state is saved, so that a crash loses the counts of at most one `interval`.
/// Each save starts less than an interval after the previous one: the longer saving takes, the
/// earlier. Thread-safety: one thread at a time.
class save_schedule {
 public:
  using clock = std::chrono::steady_clock;

  explicit save_schedule(clock::duration interval) noexcept : interval_(interval) {}

  /// Call it when a save has succeeded. The save contains everything that was counted before
  /// `taken`, unless `has_all` is false, and became durable at `done`. Returns how long the
  /// oldest of its counts waited to become durable: a crash just before `done` would have lost
  /// the counts of this time.
  clock::duration note_saved(clock::time_point taken, clock::time_point done,
                             bool has_all) noexcept;
  /// Call it when a save has failed.
  void note_failed() noexcept { is_known_ = false; }

  /// The start of the save after the one that started at `taken`: half an interval to nine
  /// tenths of it later.
  [[nodiscard]] clock::time_point next(clock::time_point taken) const noexcept;

 private:
  clock::duration interval_;
  clock::duration longest_{0};  // longest time of recent saves; decays slowly
  clock::time_point saved_up_to_;
  bool is_known_ = false;  // whether saved_up_to_ is set
};

}  // namespace scattergate::telemetry
