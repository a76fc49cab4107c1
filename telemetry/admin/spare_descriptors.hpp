#pragma once

#include <cstddef>
#include <vector>

#include "net/unique_fd.hpp"

namespace scattergate::telemetry {

/// A reserve of file descriptors, with which the admin server still replies when the process
/// has no free descriptors. This may fail, because another thread may take a released
/// descriptor first. Thread-safety: one thread.
class spare_descriptors {
 public:
  /// The number of descriptors that one reply needs: its connection, and a file below /proc for
  /// /metrics.
  static constexpr std::size_t per_answer = 2;

  /// Reserves up to `count` descriptors.
  explicit spare_descriptors(std::size_t count);

  /// Closes reserved descriptors: at most as many as one reply needs. Returns false if the
  /// reserve is empty.
  [[nodiscard]] bool release() noexcept;
  /// Fills the reserve up again, as far as the process has free descriptors.
  void refill() noexcept;

  /// The number of descriptors in reserve.
  [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }

 private:
  std::vector<net::unique_fd> held_;
};

}  // namespace scattergate::telemetry
