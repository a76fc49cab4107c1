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

/// Reports limits that are visible only as counters: checks the counters, and raises a
/// condition for each limit that was reached since the last check. Connection limits aren't
/// among them: workers report these, with the client's address. Thread-safety: the control
/// thread.
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
  /// Checks all counters. Call it periodically.
  void check_all(const counted& parts);

  /// Checks one counter. `name`: the limit, which must outlive this object. `what`: what
  /// happens at the limit, in words. `reached`: how often the limit was reached since the
  /// start.
  void check(std::string_view name, std::string_view what, std::uint64_t reached);

 private:
  telemetry::condition_board& conditions_;
  std::map<std::string_view, std::uint64_t> seen_;  // by name: `reached` at the last check
};

/// Raises a condition for each of scattergate's own certificates that has expired or will
/// expire soon. Ends the conditions of all other certificates. `listeners`: the listeners'
/// addresses, in the order of the settings.
void check_certificates(const settings& of, const std::vector<std::string>& listeners,
                        std::chrono::system_clock::time_point now,
                        telemetry::condition_board& conditions);

}  // namespace scattergate::proxy
