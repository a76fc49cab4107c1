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
  failing_over,  ///< the mongos in use fails its health checks, and another one doesn't
  down,          ///< no mongos can be reached, or TLS to it fails
};
[[nodiscard]] std::string_view label(listener_state state) noexcept;

[[nodiscard]] listener_state state_of(const listener_facts& of,
                                      const std::vector<condition>& conditions);

/// How bad things are, from good to bad.
enum class headline_level : std::uint8_t {
  ok,
  warning,     ///< a warning is active, and no error
  scattering,  ///< findings came in the last minute
  degraded,    ///< an error is active, and clients are served
  down,        ///< clients aren't served
};
[[nodiscard]] std::string_view label(headline_level level) noexcept;

/// How things are, in a few words: the top of the page.
struct headline {
  headline_level level{};
  std::string text;
};

/// A listener by its address, whether it is served, and who waits there for a reply.
struct listener_at {
  std::string address;
  listener_state state{};
  std::uint64_t clients_waiting = 0;
  std::int64_t longest_wait_millis = 0;
};

/// `conditions`: the gravest first. `minute`: what was counted in the last minute.
[[nodiscard]] headline headline_of(const std::vector<listener_at>& listeners,
                                   std::string_view unready_reason,
                                   const std::vector<condition>& conditions,
                                   const command_counts& minute);

}  // namespace scattergate::telemetry
