#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/conditions/condition.hpp"
#include "telemetry/history/command_counts.hpp"
#include "telemetry/metrics/daemon_facts.hpp"

namespace scattergate::telemetry {

/// Whether a listener's clients are served.
enum class listener_state : std::uint8_t {
  ok,
  failing_over,  ///< the mongos in use fails its health checks, but not every mongos does
  silent,        ///< every mongos fails its health checks, but one still answers hellos
  /// No mongos answers its health checks. Or each one fails or has had none yet, and
  /// connections to mongos or their TLS handshakes fail.
  down,
};
/// The state's name in JSON: "failing over".
[[nodiscard]] std::string_view label(listener_state state) noexcept;

/// Determines the state of a listener from its facts and the active conditions.
[[nodiscard]] listener_state state_of(const listener_facts& of,
                                      const std::vector<condition>& conditions);

/// Why no mongos serves a listener's clients, in one line; empty if one does. With health
/// checks on, only a passed check shows that; with checks off, the absence of failures must do.
[[nodiscard]] std::string unserved_reason(const listener_facts& of,
                                          const std::vector<condition>& conditions);

/// The daemon's overall state, from best to worst.
enum class headline_level : std::uint8_t {
  ok,
  /// A warning is active, and no error. Or in the last minute, rules refused commands, or there
  /// were other findings (commands to report) that no rule accepted and that don't scatter.
  warning,
  scattering,  ///< in the last minute, mongos got scatters that no rule accepted
  degraded,    ///< an error is active, but clients are served
  down,        ///< no mongos serves the clients of a listener, or the daemon isn't ready
};
/// The level's name in JSON and in the page's HTML.
[[nodiscard]] std::string_view label(headline_level level) noexcept;

/// The overall state, with a short text for the top of the page.
struct headline {
  headline_level level{};  ///< the overall state
  std::string text;        ///< the reason, in a few words, such as "Scattering 17 %"
};

/// The state of one listener, as input for headline_of().
struct listener_at {
  std::string address;  ///< the listener's address
  listener_state state{};
  std::uint64_t clients_waiting = 0;  ///< clients that have waited for a reply for a second or
                                      ///< longer
  std::int64_t longest_wait_millis = 0;  ///< how long the longest of these waits has lasted; 0:
                                         ///< none
  std::int64_t silence_millis = 0;       ///< see listener_facts::silence_millis()
};

/// Makes the headline from the worst state that applies. `unready_reason`:
/// health::unready_reason(); empty if the daemon is ready. `conditions`: sorted, the most
/// severe first. `minute`: the counts of the last minute, over all collections.
[[nodiscard]] headline headline_of(const std::vector<listener_at>& listeners,
                                   std::string_view unready_reason,
                                   const std::vector<condition>& conditions,
                                   const command_counts& minute);

}  // namespace scattergate::telemetry
