#pragma once

#include <cstddef>
#include <vector>

#include "net/unique_fd.hpp"

namespace scattergate::telemetry {

/// File descriptors held back for when the process has run out of them, so that whoever asks
/// how it is gets an answer just then.
/// Thread-safety: one thread; who is first of all threads gets what is released.
class spare_descriptors {
 public:
  /// What one answer takes: its connection, and a file below /proc.
  static constexpr std::size_t per_answer = 2;

  /// Holds up to `count` back, as many as there are.
  explicit spare_descriptors(std::size_t count);

  /// Makes room for one answer. False where nothing is left.
  [[nodiscard]] bool release() noexcept;
  /// Takes back what has been released, as far as there are any.
  void refill() noexcept;

  [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }

 private:
  std::vector<net::unique_fd> held_;
};

}  // namespace scattergate::telemetry
