#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "config/cluster/catalog_notes.hpp"
#include "config/cluster/live_catalog.hpp"
#include "config/options/options.hpp"
#include "telemetry/admin/health.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::proxy {

/// Owns the live catalog, if the options name one: starts and stops it, passes its snapshots to
/// the control thread, and logs each change of its state once. Thread-safety: the control
/// thread.
class catalog_feed {
 public:
  /// Receives a new snapshot, on `control`.
  using taker = std::function<void(std::shared_ptr<const routing::catalog>)>;

  catalog_feed(boost::asio::io_context& control, telemetry::metrics_collector& metrics,
               telemetry::health& health, telemetry::condition_board& conditions, taker take);
  ~catalog_feed();

  /// Starts the live catalog that the options name; readiness then waits briefly for its first
  /// load. If it is already running, makes it reload now.
  void follow(const config::options& options);
  void stop();

  /// Updates the metrics with the contents of the catalog in use.
  void show(const routing::catalog& used);

  /// The notes for workers' reports of commands and namespaces that matter to the live catalog;
  /// null without a live catalog.
  [[nodiscard]] const std::shared_ptr<config::catalog_notes>& notes() const noexcept {
    return notes_;
  }

 private:
  /// Identifies a live catalog.
  struct source {
    text::result<std::string> uri;  ///< or the problem: no connection string can be built
    config::catalog_options options;
    std::size_t memory_bytes = 0;  ///< limits.memory
    friend bool operator==(const source&, const source&) = default;
  };

  void start(source from);
  void on_load(const config::load_outcome& outcome);
  void log_state(const config::load_outcome& outcome);

  boost::asio::io_context& control_;
  telemetry::metrics_collector& metrics_;
  telemetry::health& health_;
  telemetry::condition_board& conditions_;
  taker take_;
  boost::asio::steady_timer patience_;
  source source_;

  config::load_result last_ = config::load_result::unchanged;
  bool has_loaded_ = false;
  std::shared_ptr<bool> is_current_;  ///< set to false when the live catalog is replaced; its
                                      ///< pending handlers then do nothing
  std::shared_ptr<config::catalog_notes> notes_;
  std::unique_ptr<config::live_catalog> live_;
};

}  // namespace scattergate::proxy
