#pragma once

#include <cstddef>
#include <vector>

#include "net/unique_fd.hpp"

namespace scattergate::telemetry {

/// File descriptors in reserve for when the process has run out of them, so that the admin
/// server still answers. Thread-safety: one thread. Any thread may take a released descriptor
/// first.
class spare_descriptors {
 public:
  /// Descriptors per answer: its connection and a file below /proc.
  static constexpr std::size_t per_answer = 2;

  /// Reserves up to `count` descriptors.
  explicit spare_descriptors(std::size_t count);

  /// Frees descriptors for one answer. False if none are left.
  [[nodiscard]] bool release() noexcept;
  /// Reserves the released descriptors again, as far as possible.
  void refill() noexcept;

  [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }

 private:
  std::vector<net::unique_fd> held_;
};

}  // namespace scattergate::telemetry
