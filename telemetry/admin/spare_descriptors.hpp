#pragma once

#include <cstddef>
#include <vector>

#include "net/unique_fd.hpp"

namespace scattergate::telemetry {

/// A reserve of file descriptors, so that the admin server still replies when the process has
/// no free descriptors. Another thread may take a released descriptor before the reply does.
/// Thread-safety: one thread.
class spare_descriptors {
 public:
  /// The number of descriptors that one reply needs: its connection, and a file below /proc for
  /// /metrics.
  static constexpr std::size_t per_answer = 2;

  /// Reserves up to `count` descriptors.
  explicit spare_descriptors(std::size_t count);

  /// Closes the descriptors that one reply needs. Returns false if the reserve is empty.
  [[nodiscard]] bool release() noexcept;
  /// Opens released descriptors again, as many as possible.
  void refill() noexcept;

  /// The number of descriptors in reserve.
  [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }

 private:
  std::vector<net::unique_fd> held_;
};

}  // namespace scattergate::telemetry
