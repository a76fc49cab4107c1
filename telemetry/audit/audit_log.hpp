#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "telemetry/accounts/sink_thread.hpp"
#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::telemetry {

/// The audit log's totals since the start. Thread-safety: any thread.
struct audit_totals {
  std::atomic<std::uint64_t> lines{0};           ///< lines written
  std::atomic<std::uint64_t> bytes{0};           ///< bytes written
  std::atomic<std::uint64_t> write_failures{0};  ///< failed writes
  std::atomic<std::uint64_t> commands{0};        ///< commands counted in the written lines
  /// Commands of findings beyond audit_log::settings::max_shapes, counted as `__other__`.
  std::atomic<std::uint64_t> overflow{0};
  std::atomic<std::uint64_t> outstanding{0};  ///< commands that no written line counts yet
  /// Findings evicted because they had no commands for the time audit_log::settings::quiet.
  std::atomic<std::uint64_t> evicted{0};
};

/// The audit log (docs/audit.md): reports findings (commands to report, such as scatters) as
/// lines of a file. Writes a line when a finding is first seen, then at most one line per
/// finding and interval, with the counts since the previous line. If the digest (the table of
/// all shapes) evicts a shape, writes the lines of its findings at once.
///
/// Gets the counts of all workers from `account`, as one of its sinks. Counts that can't be
/// written stay outstanding, in bounded memory. A thread of its own writes. Thread-safety: any
/// thread.
class audit_log {
 public:
  struct settings {
    std::string file;  ///< the log: a path (created with mode 0640), `-` for standard output,
                       ///< or `off`
    std::chrono::milliseconds interval{60'000};  ///< minimum time between two lines of a
                                                 ///< finding
    std::size_t max_shapes = 10'000;  ///< maximum number of findings; those beyond it are
                                      ///< counted together as `__other__`
    std::chrono::nanoseconds quiet = std::chrono::hours{24};  ///< a finding without commands
                                                              ///< for this time is evicted,
                                                              ///< once its counts are written
    std::string local;  ///< the listener's address as configured, for the lines' member
                        ///< `local`
    condition_board* conditions = nullptr;  ///< a condition is raised there while writing
                                            ///< fails; null: none is raised
  };

  /// A function that audit_log calls when it first sees a finding of a shape, with the shape's
  /// namespace. Runs on the account's thread, before the finding is counted. If the function
  /// throws, nothing is counted.
  using on_new_shape =
      std::function<void(std::string_view database, std::string_view collection)>;

  /// Opens the file and starts the thread. Throws std::runtime_error if the file can't be
  /// opened.
  audit_log(settings configured, on_new_shape new_shape);
  ~audit_log();  ///< calls close()

  /// The sink to register with the account.
  [[nodiscard]] sink_thread& as_sink() noexcept;

  void reopen();  ///< makes the thread reopen the file, after a log rotation (SIGUSR1); returns
                  ///< at once
  /// Changes the settings `interval` and `quiet`, for a reload (SIGHUP).
  void set_times(std::chrono::milliseconds interval, std::chrono::nanoseconds quiet);
  /// Changes the setting `local`, for a reload (SIGHUP).
  void set_local(std::string local);

  /// Writes all outstanding counts and ends the thread. REQUIRES: account::close() was called.
  void close();

  /// The current totals.
  [[nodiscard]] const audit_totals& totals() const noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::telemetry
