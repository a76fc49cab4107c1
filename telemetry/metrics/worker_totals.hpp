#pragma once

#include <memory>
#include <span>
#include <vector>

#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/metrics/family_set.hpp"

namespace scattergate::telemetry {

/// Sums the workers' counters that have labels of their own into the families of a scrape.
/// Thread-safety: one thread; the workers may write meanwhile.
class worker_totals {
 public:
  using workers_view = std::span<const std::unique_ptr<worker_metrics>>;

  worker_totals(workers_view workers, family_set& to) : workers_(workers), to_(to) {}

  /// The series of one (database, collection): those that aren't zero.
  void add_namespace(namespace_id id, const namespace_labels& labels);

  void add_durations();
  void add_closed();  ///< connections
  void add_unread();  ///< messages, and framing that is broken

  /// Commands that found no room for their namespace.
  [[nodiscard]] std::uint64_t namespace_overflow() const;

 private:
  void add_command(const namespace_labels& labels, std::size_t kind);
  void add_findings(const namespace_labels& labels, std::size_t kind);

  template <typename CellOf>
  [[nodiscard]] std::uint64_t sum(CellOf cell_of) const {
    std::uint64_t total = 0;
    for (const auto& worker : workers_) total += cell_of(*worker).get();
    return total;
  }

  workers_view workers_;
  family_set& to_;
  std::vector<const command_cells*> opened_;  // of one command in one namespace
};

}  // namespace scattergate::telemetry
