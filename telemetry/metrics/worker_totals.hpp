#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/metrics/series_sink.hpp"

namespace scattergate::telemetry {

/// Sums of the workers' counters, for metrics and the API. Thread-safety: one thread; the
/// workers may continue to count.
class worker_sums {
 public:
  using workers_view = std::span<const std::unique_ptr<worker_metrics>>;

  explicit worker_sums(workers_view workers) : workers_(workers) {}

  /// How often each rule has matched, in the order of rule ids. `names`: the rules' names, from
  /// rule_registry::names().
  [[nodiscard]] std::vector<rule_total> rules(std::vector<std::string> names) const;

  /// The number of commands that workers counted under `__other__` without calling
  /// namespace_registry::admit(), because the registry was full.
  [[nodiscard]] std::uint64_t namespace_overflow() const;

 private:
  workers_view workers_;
};

/// Adds the workers' counters that have labels, summed over the workers, to a scrape (a
/// request for /metrics). Thread-safety: one thread; the workers may continue to count.
class worker_totals {
 public:
  worker_totals(worker_sums::workers_view workers, series_sink& to)
      : workers_(workers), to_(to) {}

  /// Adds the nonzero series of one namespace.
  void add_namespace(namespace_id id, const namespace_labels& labels);

  /// Adds a series for each rule and action with hits. `names`: the rules' names, from
  /// rule_registry::names().
  void add_rule_hits(std::vector<std::string> names);

  /// Adds the histograms of commands' durations, with exemplars (example commands) for
  /// scatters, and the histogram of scattergate's own time to judge a command.
  void add_durations();
  void add_errors();       ///< adds the counts of mongos's error replies (`ok: 0`), by code
  void add_connections();  ///< adds the counts of open connections by worker, and of closed
                           ///< ones by reason
  void add_unread();  ///< adds the counts of messages that couldn't be read, and of framing
                      ///< errors

 private:
  void add_command(const namespace_labels& labels, std::size_t kind);
  void add_findings(const namespace_labels& labels, std::size_t kind);
  void add_finding(const namespace_labels& labels, std::size_t kind, std::size_t why,
                   std::size_t action);

  void collect_exemplars();
  [[nodiscard]] std::optional<exemplar_view> exemplar_of(std::uint32_t series) const;
  using scatter_exemplars =
      std::array<std::optional<exemplar_view>, std::tuple_size_v<duration_exemplars>>;
  [[nodiscard]] scatter_exemplars scatters_of(std::size_t kind) const;
  [[nodiscard]] static exemplar_view view_of(const exemplar& one, double unit);

  template <typename CellOf>
  [[nodiscard]] std::uint64_t sum(CellOf cell_of) const {
    std::uint64_t total = 0;
    for (const auto& worker : workers_) total += cell_of(*worker).get();
    return total;
  }

  worker_sums::workers_view workers_;
  series_sink& to_;
  std::vector<const namespace_cells*> blocks_;  // the workers' blocks for the current namespace
  std::vector<const command_cells*> opened_;    // the workers' cells for the current command
  std::vector<exemplar> exemplars_;             // those of the current namespace's findings
};

}  // namespace scattergate::telemetry
