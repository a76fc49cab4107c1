#pragma once

#include <atomic>
#include <cstdint>

namespace scattergate::telemetry {

/// The audit log's counters, with the meanings of the members of audit_log::counts.
/// `outstanding` is a gauge. Thread-safety: any thread.
struct audit_totals {
  std::atomic<std::uint64_t> lines{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> write_failures{0};
  std::atomic<std::uint64_t> commands{0};
  std::atomic<std::uint64_t> overflow{0};
  std::atomic<std::uint64_t> outstanding{0};
  std::atomic<std::uint64_t> evicted{0};
};

}  // namespace scattergate::telemetry
