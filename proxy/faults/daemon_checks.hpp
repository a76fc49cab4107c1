#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/driver/driver_events.hpp"
#include "proxy/settings.hpp"
#include "telemetry/admin/admin_server.hpp"
#include "telemetry/audit/audit_log.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/memory_budget.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

/// The checks of the daemon that raise conditions (problems that log, metrics and page show): a
/// limit was reached, a certificate expires, something hasn't succeeded for long, a driver
/// process failed. The control thread calls them, because the thread that should have succeeded
/// may hang, and then counts no failure.
namespace scattergate::proxy {

/// Reports the driver processes' failures as conditions and counts, and their messages in the
/// log, while it exists. Thread-safety: one thread.
class driver_watch {
 public:
  /// Numbers of failures, by cause.
  using counts = std::array<std::atomic<std::uint64_t>, config::driver_end_count>;

  /// The references must outlive this object and all clients of MongoDB.
  driver_watch(telemetry::condition_board& conditions, counts& restarts);
  ~driver_watch();
  driver_watch(const driver_watch&) = delete;
  driver_watch& operator=(const driver_watch&) = delete;
};

/// After this many intervals without success, the catalog and the fleet's counts are out of
/// date.
inline constexpr int intervals_until_stale = 5;

/// Raises the condition catalog_stale while the live catalog is out of date, and sets
/// catalog_facts::is_stale. Its detail names the rules that reject or throttle by the catalog.
void check_catalog_age(config::catalog_facts& facts, const policy& rules,
                       std::chrono::steady_clock::time_point now,
                       telemetry::condition_board& conditions);

/// Raises the condition fleet_stale while the fleet's database lacks this daemon's counts.
/// `database`: the database's name.
void check_fleet_age(const telemetry::daemon_facts& facts, const std::string& database,
                     std::chrono::steady_clock::time_point now,
                     telemetry::condition_board& conditions);

/// Raises the condition inspection_off while the option inspect is off. Its detail names the
/// rules that would reject or throttle.
void check_inspection(const settings& of, telemetry::condition_board& conditions);

/// Calls the three functions above; call it about once per second. `database`: the name of the
/// fleet's database.
void check_staleness(const settings& of, const telemetry::daemon_facts& facts,
                     const std::string& database, telemetry::condition_board& conditions);

/// Reports reached limits that only counters show, such as limits.memory. Raises a condition
/// (a problem that log, metrics and page show) for each limit that was reached since the last
/// check. Workers report connection limits themselves, with the client's address.
/// Thread-safety: the control thread.
class limit_checks {
 public:
  explicit limit_checks(telemetry::condition_board& conditions) noexcept
      : conditions_(conditions) {}

  /// The owners of the counters to check.
  struct counted {
    const telemetry::memory_budget& memory;
    const telemetry::audit_log& audit;
    telemetry::metrics_collector& metrics;
    const telemetry::admin_server& admin;
  };
  /// Checks the counters of all limits, and whether the operational log can be written. Call
  /// it periodically.
  void check_all(const counted& parts);

  /// Checks one counter. `name`: the limit's name; must outlive this object. `what`: a text
  /// that says what happens at the limit. `reached`: how often the limit was reached since the
  /// start.
  void check(std::string_view name, std::string_view what, std::uint64_t reached);

 private:
  telemetry::condition_board& conditions_;
  std::map<std::string_view, std::uint64_t> seen_;  // by name: `reached` at the last check
};

/// When a certificate that scattergate presents expires, in Unix seconds; 0: there is none.
[[nodiscard]] std::int64_t certificate_end(const net::tls_context* of) noexcept;
/// Sets when a listener's certificates expire, for metrics and the page.
void show_certificate_ends(const listener_settings& of, telemetry::listener_facts& to);

/// Raises a condition for each of scattergate's own certificates that has expired or will
/// expire within 14 days. Ends the conditions of all other certificates. `listeners`: the
/// listeners' addresses, in the order of settings::listeners.
void check_certificates(const settings& of, const std::vector<std::string>& listeners,
                        std::chrono::system_clock::time_point now,
                        telemetry::condition_board& conditions);

}  // namespace scattergate::proxy
