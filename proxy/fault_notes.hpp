#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/conditions/condition.hpp"

namespace scattergate::proxy {

/// Something that went wrong with one or more connections.
struct fault {
  telemetry::condition_kind kind{};
  std::string subject;   ///< see telemetry::condition
  std::string listener;  ///< see telemetry::condition
  std::string detail;
  std::uint64_t count = 1;
};

/// Collects faults of a worker's connections on their way to the condition board. The first of
/// each kind and subject is reported at once, repetitions within a second as a count. So any
/// number of clients causes few lines and uses little memory. Thread-safety: the worker's
/// thread.
class fault_notes {
 public:
  /// Passes faults to the board, on another thread: this one must not wait for the log.
  using teller = std::function<void(std::vector<fault>)>;

  explicit fault_notes(teller tell) : tell_(std::move(tell)) {}

  /// Records a fault. Allocates.
  void note(telemetry::condition_kind kind, telemetry::condition_subject subject,
            std::string_view detail);

  /// Reports the accumulated counts. Call once a second.
  void flush();

  /// Faults distinguished within a second; further ones are reported as
  /// condition_board::others.
  static constexpr std::size_t most = 64;

 private:
  [[nodiscard]] fault* find(telemetry::condition_kind kind,
                            const telemetry::condition_subject& subject) noexcept;

  teller tell_;
  std::vector<fault> noted_;  // within this second, with the counts not yet reported
};

}  // namespace scattergate::proxy
