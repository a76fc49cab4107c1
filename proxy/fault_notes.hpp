#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/conditions/condition.hpp"

namespace scattergate::proxy {

/// What has gone wrong with a connection, or with several.
struct fault {
  telemetry::condition_kind kind{};
  std::string subject;   ///< see telemetry::condition
  std::string listener;  ///< likewise
  std::string detail;
  std::uint64_t count = 1;
};

/// What goes wrong with a worker's connections, on its way to the board of conditions: of each
/// kind and subject the first at once, and what follows within the same second as a number. So
/// however many strangers come, few lines and little memory come of it.
/// Thread-safety: one thread, the worker's.
class fault_notes {
 public:
  /// Takes them to the board, on another thread: this one doesn't wait for the log.
  using teller = std::function<void(std::vector<fault>)>;

  explicit fault_notes(teller tell) : tell_(std::move(tell)) {}

  /// Allocates.
  void note(telemetry::condition_kind kind, telemetry::condition_subject subject,
            std::string_view detail);

  /// To be called once a second.
  void flush();

  /// Told apart within a second; the rest is told as condition_board::others.
  static constexpr std::size_t most = 64;

 private:
  [[nodiscard]] fault* find(telemetry::condition_kind kind,
                            const telemetry::condition_subject& subject) noexcept;

  teller tell_;
  std::vector<fault> noted_;  // within this second; the counts are those not yet told
};

}  // namespace scattergate::proxy
