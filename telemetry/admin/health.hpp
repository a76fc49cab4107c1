#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/conditions/condition.hpp"
#include "telemetry/history/history.hpp"
#include "telemetry/metrics/daemon_facts.hpp"

namespace scattergate::telemetry {

/// Tracks whether the daemon is ready (/readyz): it listens, isn't draining, and no longer
/// waits for its first catalog. Thread-safety: any thread.
class health {
 public:
  /// Sets whether the daemon accepts connections.
  void set_listening(bool listening) noexcept { listening_ = listening; }
  /// Records that the daemon drains: it ends its connections and won't become ready again.
  void set_draining() noexcept { draining_ = true; }
  /// Records that the first catalog is loaded, or that the daemon no longer waits for it.
  void set_catalog_settled() noexcept { catalog_settled_ = true; }
  /// Sets whether this daemon holds its fleet.name (its name, which must be unique among a
  /// fleet of daemons). Doesn't affect readiness.
  void set_fleet_name_held(bool held) noexcept { fleet_name_ = held ? 1 : -1; }

  /// Why the daemon isn't ready, in one line; empty if the daemon is ready.
  [[nodiscard]] std::string_view unready_reason() const noexcept {
    if (draining_) return "draining";
    if (!listening_) return "not listening";
    if (!catalog_settled_) return "waiting for the first catalog";
    return {};
  }

  /// One line of /readyz?verbose: a precondition of readiness, or `fleet_name`, which doesn't
  /// affect readiness.
  struct check {
    std::string_view name;
    bool is_good;          ///< whether the precondition is met, or the name is held
    bool is_shown = true;  ///< false: omit the line, because there is no fleet or the name's
                           ///< holder isn't known yet
  };
  /// The lines of /readyz?verbose, in order.
  [[nodiscard]] std::array<check, 4> checks() const noexcept {
    const int fleet_name = fleet_name_;
    return {{{"listening", listening_},
             {"draining", !draining_},
             {"catalog", catalog_settled_},
             {"fleet_name", fleet_name > 0, fleet_name != 0}}};
  }

 private:
  std::atomic<bool> listening_{false};
  std::atomic<bool> draining_{false};
  std::atomic<bool> catalog_settled_{false};
  std::atomic<int> fleet_name_{0};  // 1: held here; -1: by another daemon; 0: unknown, no fleet
};

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
