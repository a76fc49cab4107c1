#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/conditions/condition.hpp"
#include "telemetry/history/command_counts.hpp"
#include "telemetry/metrics/daemon_facts.hpp"

namespace scattergate::telemetry {

/// Whether the clients of a listener are served.
enum class listener_state : std::uint8_t {
  ok,
  failing_over,  ///< the mongos in use fails its health checks, but not every mongos does
  down,  ///< no mongos can be reached, all fail their health checks, or TLS to them fails
};
[[nodiscard]] std::string_view label(listener_state state) noexcept;

/// The state of a listener, from its facts and the active conditions.
[[nodiscard]] listener_state state_of(const listener_facts& of,
                                      const std::vector<condition>& conditions);

/// The daemon's overall state, from best to worst.
enum class headline_level : std::uint8_t {
  ok,
  warning,     ///< a warning is active, and no error
  scattering,  ///< there were findings in the last minute
  degraded,    ///< an error is active, but clients are served
  down,        ///< clients of a listener aren't served, or the daemon isn't ready
};
[[nodiscard]] std::string_view label(headline_level level) noexcept;

/// The overall state, with a short text for the top of the page.
struct headline {
  headline_level level{};
  std::string text;
};

/// A listener's state, for the headline.
struct listener_at {
  std::string address;
  listener_state state{};
  std::uint64_t clients_waiting = 0;  ///< clients that wait for a reply
  std::int64_t longest_wait_millis = 0;
};

/// Builds the headline. `unready_reason`: empty when ready. `conditions`: sorted, the most
/// severe first. `minute`: the counts of the last minute.
[[nodiscard]] headline headline_of(const std::vector<listener_at>& listeners,
                                   std::string_view unready_reason,
                                   const std::vector<condition>& conditions,
                                   const command_counts& minute);

}  // namespace scattergate::telemetry
