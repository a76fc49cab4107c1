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

/// The audit log, a sink of the account: writes a line when a finding is first seen and then
/// one per interval with what came since (docs/audit.md). A write that fails is counted, and
/// what it would have said stays outstanding, in memory that is bounded. Thread-safety: any
/// thread may call; one thread of its own writes.
class audit_log {
 public:
  struct settings {
    std::string file;  ///< a path (created 0640, appended to), `-` for standard output, `off`
    std::chrono::milliseconds interval{60'000};
    std::size_t max_shapes = 10'000;
    std::chrono::nanoseconds quiet = std::chrono::hours{24};  ///< then a finding is given back
    std::string local;  ///< the listener's address, for the envelope's `local`
    condition_board* conditions = nullptr;  ///< is told while it can't be written
  };

  struct counts {
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;
    std::uint64_t write_failures = 0;
    std::uint64_t findings = 0;     ///< commands that the written lines stand for
    std::uint64_t overflow = 0;     ///< commands folded into `__other__`
    std::uint64_t outstanding = 0;  ///< commands not written yet
    std::uint64_t given_back = 0;   ///< findings that were quiet, and are told apart no more
  };

  /// Called for each (namespace, shape) that no line was written for before. Where it throws,
  /// it has counted nothing.
  using on_new_shape =
      std::function<void(std::string_view database, std::string_view collection)>;

  /// Throws std::runtime_error where the file can't be opened.
  audit_log(settings with, on_new_shape new_shape);
  ~audit_log();  ///< closes

  /// What the account hands findings to.
  [[nodiscard]] sink_thread& as_sink() noexcept;

  void reopen();  ///< USR1: opens the file anew
  void set_times(std::chrono::milliseconds interval, std::chrono::nanoseconds quiet);  ///< HUP
  void set_local(std::string local);

  /// Writes all that is outstanding, closes the file and ends the thread. After the account.
  void close();

  [[nodiscard]] counts totals() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::telemetry
