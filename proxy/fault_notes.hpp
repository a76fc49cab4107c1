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
  std::string subject;      ///< see telemetry::condition
  std::string listener;     ///< see telemetry::condition
  std::string detail;       ///< of the last occurrence
  std::uint64_t count = 1;  ///< number of occurrences
};

/// Collects a worker's faults for the condition board. Reports the first fault of each kind and
/// subject at once, and its repetitions as one count per second, so that many clients cause few
/// log lines. Thread-safety: the worker's thread.
class fault_notes {
 public:
  /// Passes faults to the thread of the condition board. Must not block.
  using reporter = std::function<void(std::vector<fault>)>;

  explicit fault_notes(reporter report) : report_(std::move(report)) {}

  /// Records a fault, and reports it if it is new within this second. Allocates.
  void note(telemetry::condition_kind kind, telemetry::condition_subject subject,
            std::string_view detail);

  /// Reports the repetitions since the last call. Call it once a second.
  void flush();

  /// The maximum number of distinct faults per second. Further ones are reported together, as
  /// condition_board::others.
  static constexpr std::size_t most = 64;

 private:
  [[nodiscard]] fault* find(telemetry::condition_kind kind,
                            const telemetry::condition_subject& subject) noexcept;

  reporter report_;
  std::vector<fault> noted_;  // since the last flush(); `count`: the repetitions to report
};

}  // namespace scattergate::proxy
