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

/// The handler of the signals TERM, INT, HUP and USR1.
enum class signal_answers : std::uint8_t {
  daemon,  ///< the daemon
  none,    ///< the caller: the daemon installs no handlers; use stop() instead of TERM
};

/// The running daemon: its workers, admin address, audit log and signal handlers.
class daemon {
 public:
  /// Reads the configuration again, for SIGHUP.
  using reload_options = std::function<config::loaded_options()>;

  /// Binds all addresses and opens all files. Accepts and sends nothing yet; only the threads
  /// of the account and its sinks run. Throws std::runtime_error (or a subclass) with a
  /// one-line message if an address is in use or a file can't be opened. REQUIRES: `catalog`
  /// was loaded from `options` without problems.
  daemon(const config::options& options, config::loaded_catalog catalog, reload_options reload,
         signal_answers signals = signal_answers::daemon);
  ~daemon();

  /// The addresses of all listeners, in one line.
  [[nodiscard]] std::string ready_line() const;

  /// The address of each listener, in the order of the options.
  [[nodiscard]] const std::vector<net::endpoint>& bound() const noexcept;

  /// The queue of finds to verify by mongos's explain (verify.self_check).
  [[nodiscard]] std::shared_ptr<telemetry::check_queue> checks();

  /// The catalog in use. Callable from any thread.
  [[nodiscard]] std::shared_ptr<const routing::catalog> catalog_now();

  /// Starts all threads and accepts connections. From then on TERM starts a drain. Throws
  /// std::runtime_error (or a subclass) with a one-line message.
  void start();

  /// Serves until a drain, started by a signal or stop(), has completed. Returns the number of
  /// findings that the audit log couldn't write. REQUIRES: start().
  std::uint64_t run();

  /// Starts the drain. Callable from any thread.
  void stop();

  /// Calls `at` once, on the calling thread, with the digest. It lacks what workers haven't
  /// handed over yet; after run() it is complete.
  void read_table(const std::function<void(const digest::table&)>& at) const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::proxy
