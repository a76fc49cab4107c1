#pragma once

#include <chrono>

namespace scattergate::telemetry {

/// Decides when the state is saved, so that a crash loses the counts of at most `interval`: the
/// next save starts as much earlier than an interval after the last one as saving takes.
/// Thread-safety: one thread at a time.
class save_schedule {
 public:
  using clock = std::chrono::steady_clock;

  explicit save_schedule(clock::duration interval) noexcept : interval_(interval) {}

  /// Call it when a save has succeeded: it contains everything that was counted before `taken`,
  /// unless `has_all` is false, and became durable at `done`. Returns the time
  /// for which the oldest counts waited to become durable: a crash just before `done` would
  /// have lost it.
  clock::duration note_saved(clock::time_point taken, clock::time_point done,
                             bool has_all) noexcept;
  /// Call it when a save has failed.
  void note_failed() noexcept { is_known_ = false; }

  /// The start of the save after the one that started at `taken`: half an interval to nine
  /// tenths of it later.
  [[nodiscard]] clock::time_point next(clock::time_point taken) const noexcept;

 private:
  clock::duration interval_;
  clock::duration longest_{0};  // that a save took lately
  clock::time_point saved_up_to_;
  bool is_known_ = false;  // saved_up_to_
};

}  // namespace scattergate::telemetry
