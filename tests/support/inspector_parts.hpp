#pragma once

#include <cstddef>

#include "net/work_meter.hpp"
#include "proxy/judging/inspector.hpp"
#include "telemetry/memory_budget.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::tests {

/// Options by which the daemon keeps no samples of commands.
[[nodiscard]] inline config::verify_options without_samples() {
  config::verify_options options;
  options.samples = config::sample_content::off;
  return options;
}

/// An inspector (the part of the proxy that judges messages) and all objects that it needs, as
/// a worker has them, without an audit log. Findings use `findings_memory`; so `memory` shows
/// only the memory of connections.
struct inspector_parts {
  /// Counts the wake-ups by throttles, and does nothing else.
  struct sleeper final : proxy::throttle::waker {
    void wake() noexcept override { ++times; }
    int times = 0;
  };

  /// `verify`: which samples of commands are kept; by default none.
  explicit inspector_parts(const config::verify_options& verify = without_samples())
      : taps(verify) {}

  static constexpr std::size_t plenty_bytes = 64UL * 1024 * 1024;

  telemetry::metrics_collector collector{20};
  telemetry::worker_metrics& metrics = collector.add_worker();
  telemetry::memory_budget findings_memory{plenty_bytes};
  telemetry::shape_table shapes{100, findings_memory};
  telemetry::live_digest digest{100, findings_memory};
  telemetry::account account{digest, {}};
  telemetry::memory_budget memory{plenty_bytes};
  proxy::command_taps taps;
  net::work_meter meter;
  sleeper waker;
  proxy::inspector inspector{{metrics, shapes, account, collector.facts(), taps, meter, waker}};

  /// Gives each collection of the catalog its own label in metrics, as if commands on it had
  /// been answered before.
  void label_all(const routing::catalog& catalog) {
    for (const routing::collection& each : catalog.collections()) {
      static_cast<void>(metrics.admit(each.database, each.name));
    }
  }
};

}  // namespace scattergate::tests
