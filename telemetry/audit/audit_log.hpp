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

/// The audit log. A sink of the class `account`, from which it receives the counts of all
/// workers. Writes a line when a finding is first seen, then at most one line per finding and
/// interval, with the counts since the previous line (docs/audit.md). Counts that can't be
/// written stay outstanding, in bounded memory. Its own thread writes. Thread-safety: any
/// thread.
class audit_log {
 public:
  struct settings {
    std::string file;  ///< a path (created with mode 0640), `-` for standard output, or `off`
    std::chrono::milliseconds interval{60'000};
    std::size_t max_shapes = 10'000;
    std::chrono::nanoseconds quiet = std::chrono::hours{24};  ///< a finding without commands
                                                              ///< for this long is evicted
    std::string local;  ///< the listener's address, for the lines' member `local`
    condition_board* conditions = nullptr;  ///< a condition is raised there while writing
                                            ///< fails; null: none is raised
  };

  struct counts {
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;
    std::uint64_t write_failures = 0;
    std::uint64_t findings = 0;     ///< commands counted in the written lines
    std::uint64_t overflow = 0;     ///< commands counted as `__other__`
    std::uint64_t outstanding = 0;  ///< commands not written yet
    std::uint64_t evicted = 0;      ///< findings evicted because they were quiet
  };

  /// Called on the account's thread, before the first finding of a (namespace, shape) is
  /// counted. If the function throws, nothing is counted.
  using on_new_shape =
      std::function<void(std::string_view database, std::string_view collection)>;

  /// Throws std::runtime_error if the file can't be opened.
  audit_log(settings configured, on_new_shape new_shape);
  ~audit_log();  ///< calls close()

  /// The sink to register with the account.
  [[nodiscard]] sink_thread& as_sink() noexcept;

  void reopen();  ///< reopens the file (SIGUSR1)
  /// Changes the settings `interval` and `quiet` (SIGHUP).
  void set_times(std::chrono::milliseconds interval, std::chrono::nanoseconds quiet);
  /// Changes the setting `local`.
  void set_local(std::string local);

  /// Writes all outstanding counts, closes the file and ends the thread. REQUIRES:
  /// account::close() was called.
  void close();

  [[nodiscard]] counts totals() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::telemetry
