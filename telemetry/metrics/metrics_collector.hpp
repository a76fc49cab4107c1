#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/audit/audit_log.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/counters/namespace_registry.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/metrics/daemon_facts.hpp"

namespace scattergate::telemetry {

class series_sink;
class worker_totals;
struct check_facts;

/// Owns the counters of workers and listeners, and adds them up for each scrape (a request for
/// /metrics). Thread-safety: any thread.
class metrics_collector {
 public:
  using clock = std::chrono::steady_clock;

  /// `max_namespaces`: maximum number of namespaces with labels of their own. Commands on all
  /// other namespaces count under `__other__`.
  explicit metrics_collector(std::size_t max_namespaces);
  ~metrics_collector();

  /// The registry of rules, which all workers share.
  [[nodiscard]] rule_registry& rules() noexcept { return rules_; }
  /// The daemon's numbers that no worker counts, such as the number of reloads.
  [[nodiscard]] daemon_facts& facts() noexcept { return facts_; }
  [[nodiscard]] const daemon_facts& facts() const noexcept { return facts_; }

  /// Creates a worker's counters, which live as long as this object.
  [[nodiscard]] worker_metrics& add_worker();

  /// Creates a listener's facts, which live as long as this object.
  [[nodiscard]] listener_facts& add_listener(std::string address);

  /// Calls `at` for each listener, in order, under the lock: `at` must not call this object.
  void for_each_listener(const std::function<void(const listener_facts&)>& at) const;

  /// The number of open client connections, of all workers.
  [[nodiscard]] std::uint64_t open_connections() const;

  /// How often each rule has matched since the start, including rules of earlier
  /// configurations.
  [[nodiscard]] std::vector<rule_total> rule_totals() const;

  /// The number of commands counted under `__other__` because the limit of namespace labels is
  /// reached.
  [[nodiscard]] std::uint64_t namespace_overflow() const;

  /// Counts a new finding in this namespace: a query shape to report that the audit log doesn't
  /// know yet. Called on the thread of telemetry::account.
  void count_new_shape(std::string_view database, std::string_view collection);

  /// Removes the labels and series of namespaces without commands for the time `quiet`. If room
  /// is needed, also removes those of namespaces that only unauthenticated clients have used.
  /// Call it periodically, because a removal takes several calls. Between them, each worker
  /// must call worker_metrics::release_leaving().
  void evict_quiet(clock::time_point now, std::chrono::nanoseconds quiet);

  /// The workers' event engine (epoll or io_uring): the labels of
  /// scattergate_worker_engine_info.
  struct engine_info {
    std::string name;
    std::string reason;  ///< why this engine was chosen
  };
  /// Sets the engine to report.
  void show_engine(engine_info chosen);

  /// Sets when the certificate of the admin address expires, in Unix seconds; 0: it has none.
  void show_admin_certificate(std::int64_t expires_at);
  /// Records that this process took over from a predecessor in a handover.
  void note_handover();

  void watch_audit(const audit_log* audit);  ///< sets the audit log whose totals to report,
                                             ///< which must outlive this object; null: none
  /// Sets the self-check's counts to report, which must outlive this object; null: none.
  void watch_checks(const check_facts* of_checks);

  /// Sets the board whose active conditions to report, which must outlive this object.
  void watch_conditions(const condition_board& board);

  /// Adds every series to `to`, for one scrape.
  void collect(series_sink& to) const;

 private:
  /// A namespace id's count at the last check, and the time since which the count hasn't
  /// changed.
  struct activity {
    std::uint64_t counted = 0;
    clock::time_point since;
  };
  [[nodiscard]] std::uint64_t counted(namespace_id id) const;

  void add_namespaces(series_sink& to, worker_totals& totals) const;
  void add_counted_numbers(series_sink& to) const;
  void add_catalog(series_sink& to) const;
  void add_listeners(series_sink& to) const;
  void add_certificates(series_sink& to) const;
  void add_conditions(series_sink& to) const;

  namespace_registry namespaces_;
  rule_registry rules_;
  daemon_facts facts_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<worker_metrics>> workers_;
  std::vector<std::unique_ptr<listener_facts>> listeners_;
  std::vector<std::uint64_t> new_shapes_;            // by namespace_id
  std::vector<std::optional<activity>> activities_;  // by namespace_id
  clock::time_point looked_at_;
  engine_info engine_;
  std::int64_t admin_certificate_expires_at_ = 0;
  bool is_successor_ = false;
  const audit_log* audit_ = nullptr;
  const check_facts* checks_ = nullptr;
  const condition_board* conditions_ = nullptr;
};

}  // namespace scattergate::telemetry
