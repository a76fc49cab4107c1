#pragma once

#include <cstdint>
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

/// Owns the live catalog (the catalog that is read from the cluster and kept up to date), if
/// the options name one. Starts and stops it, passes its snapshots to the control thread, and
/// reports its failures and recoveries. Thread-safety: the control thread.
class catalog_feed {
 public:
  /// Receives each new snapshot of the live catalog, on the control thread.
  using taker = std::function<void(std::shared_ptr<const routing::catalog>)>;

  /// Learns, on the control thread, that the read with this number has succeeded. What it has
  /// found is in the snapshots that the taker has received.
  using read_noter = std::function<void(std::uint64_t number)>;

  /// The references must outlive this object.
  catalog_feed(boost::asio::io_context& control, telemetry::metrics_collector& metrics,
               telemetry::health& health, telemetry::condition_board& conditions, taker take,
               read_noter note_read);
  ~catalog_feed();

  /// Applies new options. If they name a live catalog, starts it; `/readyz` then waits up to 5
  /// s for the catalog's first load. If the same catalog with the same settings is already
  /// running, makes it reload now, over a new connection. If the options name no live catalog,
  /// stops the running one.
  void follow(const config::options& options);
  /// Stops the live catalog, if there is one.
  void stop();

  /// Updates the metrics with the contents of `used`, the catalog in use, and reports each of
  /// its collections that couldn't be read as a condition.
  void show(const routing::catalog& used);

  /// The object to which workers report commands that change collections, and namespaces that
  /// the live catalog doesn't list. Null if there is no live catalog.
  [[nodiscard]] const std::shared_ptr<config::catalog_notes>& notes() const noexcept {
    return notes_;
  }

 private:
  /// The settings of a live catalog. If they change, the live catalog is replaced.
  struct source {
    text::result<std::string> uri;  ///< the connection string, or why it can't be read
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
  read_noter note_read_;
  boost::asio::steady_timer patience_;  // runs until `/readyz` stops waiting for the first load
  source source_;

  config::load_result last_ = config::load_result::unchanged;  // of the last load
  bool has_loaded_ = false;           // at least one load has ended, successful or not
  std::shared_ptr<bool> is_current_;  ///< set to false when the live catalog is stopped; then
                                      ///< the catalog's queued handlers do nothing
  std::shared_ptr<config::catalog_notes> notes_;
  std::unique_ptr<config::live_catalog> live_;
};

}  // namespace scattergate::proxy
