#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/conditions/condition.hpp"

namespace scattergate::proxy {

/// A problem of one or more connections, to report to the condition board (the daemon's list
/// of active problems).
struct fault {
  telemetry::condition_kind kind{};  ///< the kind of problem
  std::string subject;               ///< the mongos, limit or peer with the problem
  std::string listener;              ///< the listener's address; empty if none is concerned
  std::string detail;                ///< the detail of the last occurrence
  std::uint64_t count = 1;           ///< number of occurrences
};

/// Collects a worker's faults for the condition board (the daemon's list of active problems).
/// Reports the first fault of each kind and subject at once, and repetitions as a count, once a
/// second. This limits the number of log lines, however many clients there are. Thread-safety:
/// the worker's thread.
class fault_reports {
 public:
  /// Passes faults to the condition board's thread. Must not block.
  using reporter = std::function<void(std::vector<fault>)>;

  explicit fault_reports(reporter report) : report_(std::move(report)) {}

  /// Records a fault. Reports it at once if it is the first of its kind and subject since the
  /// last flush(). `subject`: the mongos, limit or peer with the problem. Allocates.
  void note(telemetry::condition_kind kind, telemetry::condition_subject subject,
            std::string_view detail);

  /// Reports the repetitions since the last call. Call it once a second.
  void flush();

  /// The maximum number of distinct faults between two flushes. A further one takes the place
  /// of one with no repetitions or one, which then counts for the subject
  /// condition_board::others. So the subjects with the most faults keep their names.
  static constexpr std::size_t most = 64;

 private:
  [[nodiscard]] fault* find(telemetry::condition_kind kind,
                            const telemetry::condition_subject& subject) noexcept;

  void note_first(telemetry::condition_kind kind, telemetry::condition_subject subject,
                  std::string_view detail);
  [[nodiscard]] fault* next_rare() noexcept;

  reporter report_;
  std::size_t next_ = 0;      // where next_rare() continues
  std::vector<fault> noted_;  // since the last flush(); `count`: the repetitions to report
};

}  // namespace scattergate::proxy
