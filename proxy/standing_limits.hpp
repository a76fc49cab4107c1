#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/settings.hpp"
#include "telemetry/admin/admin_server.hpp"
#include "telemetry/audit/audit_log.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/memory_budget.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::proxy {

/// Reports reached limits that only counters show, such as limits.memory. Raises a condition
/// (a problem that log, metrics and page show) for each limit that was reached since the last
/// check. Workers report connection limits themselves, with the client's address.
/// Thread-safety: the control thread.
class standing_limits {
 public:
  explicit standing_limits(telemetry::condition_board& conditions) noexcept
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
