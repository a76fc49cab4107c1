#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "telemetry/accounts/sink_thread.hpp"
#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::telemetry {

/// The audit log, a sink of the account. It writes a line when a finding is first seen, then at
/// most one per interval with the counts since (docs/audit.md). A failed write is counted, and
/// its counts stay outstanding in bounded memory. Thread-safety: any thread may call; an own
/// thread writes.
class audit_log {
 public:
  struct settings {
    std::string file;  ///< a path (created 0640, appended to), `-` for standard output, `off`
    std::chrono::milliseconds interval{60'000};
    std::size_t max_shapes = 10'000;
    std::chrono::nanoseconds quiet = std::chrono::hours{24};  ///< a finding without commands
                                                              ///< for this long is forgotten
    std::string local;  ///< the listener's address, for the envelope's `local`
    condition_board* conditions = nullptr;  ///< gets a condition while writing fails
  };

  struct counts {
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;
    std::uint64_t write_failures = 0;
    std::uint64_t findings = 0;     ///< commands that the written lines count
    std::uint64_t overflow = 0;     ///< commands counted as `__other__`
    std::uint64_t outstanding = 0;  ///< commands not written yet
    std::uint64_t given_back = 0;   ///< findings forgotten after a quiet time
  };

  /// Called before the first line of each (namespace, shape). If it throws, nothing is counted.
  using on_new_shape =
      std::function<void(std::string_view database, std::string_view collection)>;

  /// Throws std::runtime_error if the file can't be opened.
  audit_log(settings with, on_new_shape new_shape);
  ~audit_log();  ///< calls close()

  /// The sink to give to the account.
  [[nodiscard]] sink_thread& as_sink() noexcept;

  void reopen();  ///< Reopens the file, on SIGUSR1.
  /// Sets the times, on SIGHUP.
  void set_times(std::chrono::milliseconds interval, std::chrono::nanoseconds quiet);
  void set_local(std::string local);

  /// Writes all outstanding counts, closes the file and ends the thread. Call it after
  /// account::close().
  void close();

  [[nodiscard]] counts totals() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::telemetry
