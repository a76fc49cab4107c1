#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/conditions/condition.hpp"

namespace scattergate::proxy {

/// A problem of one or more connections, to report to the condition board.
struct fault {
  telemetry::condition_kind kind{};
  std::string subject;   ///< see telemetry::condition
  std::string listener;  ///< see telemetry::condition
  std::string detail;
  std::uint64_t count = 1;
};

/// Collects a worker's faults for the condition board. Reports the first of each kind and
/// subject at once, and repetitions as one count per second, so that many clients cause few log
/// lines. Thread-safety: the worker's thread.
class fault_notes {
 public:
  /// Passes faults to the board. Must not block: the board may wait for the log.
  using reporter = std::function<void(std::vector<fault>)>;

  explicit fault_notes(reporter report) : report_(std::move(report)) {}

  /// Records a fault. Allocates.
  void note(telemetry::condition_kind kind, telemetry::condition_subject subject,
            std::string_view detail);

  /// Reports the accumulated counts. Call once a second.
  void flush();

  /// The number of distinct faults per second; further ones are reported as
  /// condition_board::others.
  static constexpr std::size_t most = 64;

 private:
  [[nodiscard]] fault* find(telemetry::condition_kind kind,
                            const telemetry::condition_subject& subject) noexcept;

  reporter report_;
  std::vector<fault> noted_;  // within this second, with the counts not yet reported
};

}  // namespace scattergate::proxy
