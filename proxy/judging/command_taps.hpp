#pragma once

#include <memory>

#include "config/options/options.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/samples/check_queue.hpp"
#include "telemetry/samples/command_samples.hpp"
#include "telemetry/tap/live_tap.hpp"

namespace scattergate::proxy {

/// Where workers leave copies of a few of the commands that come by, and what became of others.
/// Thread-safety: any thread.
struct command_taps {
  explicit command_taps(const config::verify_options& options,
                        config::tap_content tap = config::tap_content::off)
      : samples(options.samples),
        checks(std::make_shared<telemetry::check_queue>(
            options.self_check ? options.interval : options.interval.zero())) {
    use(tap);
  }

  /// Whether a command of this kind and class should be looked at in full, for a copy.
  [[nodiscard]] bool are_due(routing::command_kind kind, routing::routing_class routing,
                             telemetry::rate_gate::clock::time_point now) const noexcept {
    return samples.is_due(kind, now) || checks->is_due(kind, routing, now);
  }

  void use(config::tap_content content) noexcept {
    live.allow(content == config::tap_content::redacted);
  }
  /// How many look at it, and what they miss.
  void show(telemetry::daemon_facts& in) const noexcept {
    in.tap_listeners = live.listeners();
    in.tap_dropped = live.dropped();
  }

  telemetry::command_samples samples;              ///< for /api/v1/samples
  std::shared_ptr<telemetry::check_queue> checks;  ///< for the standing self-check
  telemetry::live_tap live;                        ///< for /api/v1/tap
};

}  // namespace scattergate::proxy
