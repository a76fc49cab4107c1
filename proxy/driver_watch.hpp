#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "config/driver/driver_events.hpp"
#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::proxy {

/// Reports the driver processes' failures as conditions and counts, and their messages in the
/// log, while it exists. Thread-safety: one thread.
class driver_watch {
 public:
  /// Numbers of failures, by cause.
  using counts = std::array<std::atomic<std::uint64_t>, config::driver_end_count>;

  /// The references must outlive this object and all clients of MongoDB.
  driver_watch(telemetry::condition_board& conditions, counts& restarts);
  ~driver_watch();
  driver_watch(const driver_watch&) = delete;
  driver_watch& operator=(const driver_watch&) = delete;
};

}  // namespace scattergate::proxy
