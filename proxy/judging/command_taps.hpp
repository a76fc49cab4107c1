#pragma once

#include <memory>

#include "config/options/options.hpp"
#include "proxy/judging/judged_subject.hpp"
#include "proxy/judging/pending_request.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/samples/check_queue.hpp"
#include "telemetry/samples/command_samples.hpp"
#include "telemetry/tap/live_tap.hpp"

namespace scattergate::proxy {

/// The destinations, besides the audit log, that get copies of single commands: samples,
/// self-checks and the tap. A self-check compares a verdict with mongos's explain. The tap is a
/// live stream of commands. Thread-safety: any thread.
struct command_taps {
  explicit command_taps(const config::verify_options& options,
                        config::tap_content tap = config::tap_content::off)
      : samples(options.samples),
        checks(std::make_shared<telemetry::check_queue>(
            options.self_check ? options.interval : options.interval.zero())) {
    set_tap(tap);
  }

  /// Whether a sample or a self-check needs the next command of this kind and routing class.
  /// If so, that command must be read completely.
  [[nodiscard]] bool are_due(routing::command_kind kind, routing::routing_class routing,
                             telemetry::rate_gate::clock::time_point now) const noexcept {
    return samples.is_due(kind, now) || checks->is_due(kind, routing, now);
  }

  /// Whether a destination may get a copy of this command: a sample, a self-check, the audit
  /// log, or a client that listens to the tap.
  [[nodiscard]] bool has_receiver_for(const pending_request& command) const noexcept {
    return is_of_interest(command) || are_due(command.command, command.routing, command.sent);
  }
  /// Whether the audit log, a metric's exemplar, or a client that listens to the tap may get a
  /// copy of this command.
  [[nodiscard]] bool is_of_interest(const judgement& of) const noexcept {
    return of.is_finding || of.routing == routing::routing_class::scatter_gather ||
           live.has_listener_for(of.routing, of.is_finding);
  }

  /// Copies a command for the samples and self-checks, if one of them is due or if the command
  /// is a new finding. Don't call it for a stranger's command (see
  /// client_identity::is_stranger()). `what`: the command with its own verdict. `deciding`: the
  /// command with the verdict on which the rules decided; this may be the verdict in another
  /// namespace that the command touches. `memory`: scratch memory for the shape.
  void leave_copies(const judged_subject& what, const judged_subject& deciding,
                    const pending_request& pending, routing::scratch& memory);

  /// Sets whether the tap accepts listeners.
  void set_tap(config::tap_content content) noexcept {
    live.allow(content == config::tap_content::redacted);
  }
  /// Publishes the number of clients that listen to the tap, and the number of commands that
  /// the tap has dropped.
  void show(telemetry::daemon_facts& in) const noexcept {
    in.tap_listeners = live.listeners();
    in.tap_dropped = live.dropped();
  }

  telemetry::command_samples samples;              ///< for /api/v1/samples
  std::shared_ptr<telemetry::check_queue> checks;  ///< for the self-check (verify.self_check)
  telemetry::live_tap live;                        ///< for /api/v1/tap
};

}  // namespace scattergate::proxy
