#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace scattergate::proxy {

/// Measures the duration of every 16th of many short runs. Assumes that the runs between take
/// as long as the last measured run. Measuring each run would make the runs a tenth slower.
class sampled_timer {
 public:
  using clock = std::chrono::steady_clock;

  /// Starts a run.
  void start() noexcept {
    is_timing_ = runs_++ % runs_per_sample == 0;
    if (is_timing_) started_ = clock::now();
  }

  /// Ends the run. Returns its duration, measured or assumed.
  [[nodiscard]] std::chrono::nanoseconds stop() noexcept {
    if (std::exchange(is_timing_, false)) sample_ = clock::now() - started_;
    return sample_;
  }

 private:
  static constexpr std::uint32_t runs_per_sample = 16;

  clock::time_point started_;
  std::chrono::nanoseconds sample_{0};
  std::uint32_t runs_ = 0;
  bool is_timing_ = false;
};

}  // namespace scattergate::proxy
