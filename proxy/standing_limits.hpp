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

/// Limits that are visible only as a counter: checks the counters periodically, and reports
/// limits reached since the last check to the board. Workers report connection limits, with the
/// peer.
class standing_limits {
 public:
  explicit standing_limits(telemetry::condition_board& conditions) noexcept
      : conditions_(conditions) {}

  /// All counters to check.
  struct counted {
    const telemetry::memory_budget& memory;
    const telemetry::audit_log& audit;
    telemetry::metrics_collector& metrics;
    const telemetry::admin_server& admin;
  };
  void check_all(const counted& parts);

  /// `reached`: how often, since the start. `name` must outlive this object.
  void check(std::string_view name, std::string_view what, std::uint64_t reached);

 private:
  telemetry::condition_board& conditions_;
  std::map<std::string_view, std::uint64_t> seen_;
};

/// Reports our certificates that have expired, or will soon. `listeners`: their addresses, in
/// the order of the settings'.
void check_certificates(const settings& of, const std::vector<std::string>& listeners,
                        std::chrono::system_clock::time_point now,
                        telemetry::condition_board& conditions);

}  // namespace scattergate::proxy
