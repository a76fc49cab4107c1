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
#include "telemetry/shapes/running_tests.hpp"

namespace scattergate::proxy {

/// Which code handles the signals TERM, INT, HUP and USR1.
enum class signal_answers : std::uint8_t {
  daemon,  ///< the daemon
  none,    ///< the daemon's creator; the daemon installs no handlers, and stop() replaces TERM
};

/// The proxy daemon: its workers, admin address, audit log and signal handlers. Thread-safety:
/// one thread, unless stated otherwise.
class daemon {
 public:
  /// Reads the configuration again. The daemon calls it on SIGHUP.
  using reload_options = std::function<config::loaded_options()>;

  /// Binds all addresses and opens all files. Accepts no connections yet. Starts only the
  /// threads for the digest (the table of shapes), the audit log and the state file. Throws
  /// std::runtime_error (or a subclass) with a one-line message, for example if an address is
  /// in use or a file can't be opened. REQUIRES: `catalog` was loaded from `options` without
  /// problems.
  daemon(const config::options& options, config::loaded_catalog catalog, reload_options reload,
         signal_answers signals = signal_answers::daemon);
  ~daemon();

  /// A line with the addresses of all listeners, their mongos, and the admin address.
  [[nodiscard]] std::string ready_line() const;

  /// The address on which each listener listens, in the order of the options. Port 0 is
  /// replaced by the actual port.
  [[nodiscard]] const std::vector<net::endpoint>& bound() const noexcept;

  /// The queue of `find` commands whose verdicts the self-check compares with mongos's explain
  /// (option verify.self_check).
  [[nodiscard]] std::shared_ptr<telemetry::check_queue> checks();

  /// The catalog in use. Callable from any thread.
  [[nodiscard]] std::shared_ptr<const routing::catalog> catalog_now();

  /// Names the test that sends each command, from then on. Call it before start().
  void watch_tests(std::shared_ptr<const telemetry::running_tests> tests);

  /// Starts all threads and accepts connections. From then on, the signal TERM starts a drain:
  /// no new connections, and open ones close when idle. Throws std::runtime_error (or a
  /// subclass) with a one-line message if a thread can't be created or the handover socket
  /// can't be bound.
  void start();

  /// Serves clients until a signal or stop() has started a drain, and the drain has completed.
  /// Returns the number of findings that the audit log couldn't write. REQUIRES: start() was
  /// called.
  std::uint64_t run();

  /// Starts the drain, which takes at most the option drain.grace. A second call closes all
  /// connections at once. Callable from any thread.
  void stop();

  /// A copy of the digest (the table of shapes), with the rules' decisions (row::run.actions).
  /// Until run() has returned, it lacks the counts that workers haven't handed over yet.
  [[nodiscard]] digest::table copy_digest() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::proxy
