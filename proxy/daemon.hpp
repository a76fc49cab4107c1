#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "digest/table.hpp"
#include "telemetry/samples/check_queue.hpp"

namespace scattergate::proxy {

/// What handles TERM, INT, HUP and USR1.
enum class signal_answers : std::uint8_t {
  daemon,  ///< the daemon
  none,    ///< the caller: signal handlers stay as they are, and stop() replaces TERM
};

/// The running daemon: its workers, admin address, audit log and signal handlers.
class daemon {
 public:
  /// Reads the configuration again, for SIGHUP.
  using reload_options = std::function<config::loaded_options()>;

  /// Binds every address and opens every file, and nothing else: it accepts and sends nothing
  /// yet, and only the threads of the account and its sinks run. Throws std::runtime_error (or
  /// a subclass) with a one-line message if an address is in use or a file can't be opened.
  /// `catalog` was loaded from `options` without problems.
  daemon(const config::options& options, config::loaded_catalog catalog, reload_options reload,
         signal_answers signals = signal_answers::daemon);
  ~daemon();

  /// One line: the address of each listener.
  [[nodiscard]] std::string ready_line() const;

  /// The address of each listener, in the order of the options.
  [[nodiscard]] const std::vector<net::endpoint>& bound() const noexcept;

  /// The queue of finds to verify against mongos (verify.self_check).
  [[nodiscard]] std::shared_ptr<telemetry::check_queue> checks();

  /// The catalog in use. Callable from any thread.
  [[nodiscard]] std::shared_ptr<const routing::catalog> catalog_now();

  /// Starts all threads, then accepts; from then on TERM drains. Throws std::runtime_error (or
  /// a subclass) with a one-line message.
  void start();

  /// Serves until a drain, started by a signal or by stop(), has ended. Returns the number of
  /// findings lost by the audit log. REQUIRES: start().
  std::uint64_t run();

  /// Starts the drain. Callable from any thread.
  void stop();

  /// Passes all counted commands that workers have handed over to `at`; after run(), that is
  /// all of them.
  void read_table(const std::function<void(const digest::table&)>& at) const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::proxy
