#pragma once

#include <cstddef>

#include "net/work_meter.hpp"
#include "proxy/judging/inspector.hpp"
#include "telemetry/memory_budget.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::tests {

[[nodiscard]] inline config::verify_options without_samples() {
  config::verify_options options;
  options.samples = config::sample_content::off;
  return options;
}

/// An inspector, and all that a worker gives it, without an audit log. Findings have an
/// account of their own, so that `memory` shows what connections use.
struct inspector_parts {
  /// Counts the wake-ups of the throttles, and wakes nothing.
  struct sleeper final : proxy::throttle::waker {
    void wake() noexcept override { ++times; }
    int times = 0;
  };

  /// `verify` configures the copies of commands; by default there are none.
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

  /// As if commands on all its collections had been answered before.
  void label_all(const routing::catalog& catalog) {
    for (const routing::collection& each : catalog.collections()) {
      static_cast<void>(collector.namespaces().admit(each.database, each.name));
    }
  }
};

}  // namespace scattergate::tests
