#pragma once

#include <cstddef>

#include "proxy/judging/inspector.hpp"
#include "telemetry/memory_budget.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::tests {

/// An inspector, and all that a worker gives it, without an audit log. Findings have
/// an account of their own, so that `memory` tells what connections hold.
struct inspector_parts {
  static constexpr std::size_t plenty_bytes = 64UL * 1024 * 1024;

  telemetry::metrics_collector collector{20};
  telemetry::worker_metrics& metrics = collector.add_worker();
  telemetry::memory_budget findings_memory{plenty_bytes};
  telemetry::shape_table shapes{100, findings_memory};
  telemetry::live_digest digest{100, findings_memory};
  telemetry::account account{digest, {}};
  telemetry::memory_budget memory{plenty_bytes};
  proxy::inspector inspector{metrics, shapes, account, collector.facts()};

  /// As if commands on all its collections had been answered before.
  void label_all(const routing::catalog& catalog) {
    for (const routing::collection& each : catalog.collections()) {
      static_cast<void>(collector.namespaces().admit(each.database, each.name));
    }
  }
};

}  // namespace scattergate::tests
