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

/// Who answers to TERM, INT, HUP and USR1.
enum class signal_answers : std::uint8_t {
  daemon,  ///< the daemon
  none,    ///< whoever started it: they stay as he left them, and stop() is what TERM would be
};

/// The running daemon: its workers, its admin address, its audit log and its signals.
class daemon {
 public:
  /// Reads the configuration again, for SIGHUP.
  using reload_options = std::function<config::loaded_options()>;

  /// Binds every address, then opens every file; nothing beyond that: nobody is accepted, asked
  /// or told anything yet, and no threads but those of the account and its sinks run. Throws
  /// std::runtime_error (or a subclass) with a line for people where one is taken or can't be
  /// opened. `catalog` was loaded from `options` without problems.
  daemon(const config::options& options, config::loaded_catalog catalog, reload_options reload,
         signal_answers signals = signal_answers::daemon);
  ~daemon();

  /// One line: what is bound where.
  [[nodiscard]] std::string ready_line() const;

  /// Where each listener is bound, in the order of the options.
  [[nodiscard]] const std::vector<net::endpoint>& bound() const noexcept;

  /// Where finds wait to be held against mongos (verify.self_check).
  [[nodiscard]] std::shared_ptr<telemetry::check_queue> checks();

  /// The catalog that commands are judged by now. Any thread may ask.
  [[nodiscard]] std::shared_ptr<const routing::catalog> catalog_now();

  /// Starts every thread, then accepts. From then on TERM drains. Throws likewise.
  void start();

  /// Serves until a drain that a signal or stop() began has ended: how many findings the audit
  /// log could not take. REQUIRES: start().
  std::uint64_t run();

  /// Begins the drain. Any thread may.
  void stop();

  /// Shows all that was judged, as far as workers have handed it over: after run(), all of it.
  void look(const std::function<void(const digest::table&)>& at) const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::proxy
