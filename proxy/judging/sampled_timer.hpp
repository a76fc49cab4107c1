#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace scattergate::proxy {

/// Times every 16th of many short runs, because reading the clock twice costs a tenth of such a
/// run. The following runs are assumed to take as long.
class sampled_timer {
 public:
  using clock = std::chrono::steady_clock;

  void start() noexcept {
    is_timing_ = runs_++ % runs_per_sample == 0;
    if (is_timing_) started_ = clock::now();
  }

  /// The duration of the run since start().
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
