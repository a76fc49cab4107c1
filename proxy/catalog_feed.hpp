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

/// Between the daemon and its live catalog, where the options name one: starts and ends it,
/// hands its snapshots over on the control thread, and logs how it fares, once per change.
/// Thread-safety: the control thread.
class catalog_feed {
 public:
  /// Takes a new snapshot, on `control`.
  using taker = std::function<void(std::shared_ptr<const routing::catalog>)>;

  catalog_feed(boost::asio::io_context& control, telemetry::metrics_collector& metrics,
               telemetry::health& health, telemetry::condition_board& conditions, taker take);
  ~catalog_feed();

  /// Follows what the options name. A live catalog that is followed already is read anew, at
  /// once; any other starts, and the health waits for it for a moment.
  void follow(const config::options& options);
  void stop();

  /// Shows in the metrics what a catalog holds that is used from now on.
  void show(const routing::catalog& used);

  /// Whom workers tell what a live catalog should know; null where none is followed.
  [[nodiscard]] const std::shared_ptr<config::catalog_notes>& notes() const noexcept {
    return notes_;
  }

 private:
  /// What tells one live catalog from another.
  struct source {
    text::result<std::string> uri;  ///< or why there is nothing to connect to
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
  std::shared_ptr<bool> is_current_;  ///< false once what was posted comes from a predecessor
  std::shared_ptr<config::catalog_notes> notes_;
  std::unique_ptr<config::live_catalog> live_;
};

}  // namespace scattergate::proxy
