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

/// Sums of the workers' counters.
/// Thread-safety: one thread; the workers may write meanwhile.
class worker_sums {
 public:
  using workers_view = std::span<const std::unique_ptr<worker_metrics>>;

  explicit worker_sums(workers_view workers) : workers_(workers) {}

  /// What the rules of these names have done, in the order of their numbers.
  [[nodiscard]] std::vector<rule_total> rules(std::vector<std::string> names) const;

  /// Commands that found no room for their namespace.
  [[nodiscard]] std::uint64_t namespace_overflow() const;

 private:
  workers_view workers_;
};

/// Sums the workers' counters that have labels of their own into the families of a scrape.
/// Thread-safety: one thread; the workers may write meanwhile.
class worker_totals {
 public:
  worker_totals(worker_sums::workers_view workers, series_sink& to)
      : workers_(workers), to_(to) {}

  /// The series of one (database, collection): those that aren't zero.
  void add_namespace(namespace_id id, const namespace_labels& labels);

  /// What the rules of these names have done: those that have hits.
  void add_rule_hits(std::vector<std::string> names);

  void add_durations();
  void add_errors();       ///< mongos's
  void add_connections();  ///< open ones by worker, closed ones by why
  void add_unread();       ///< messages, and framing that is broken

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
  [[nodiscard]] static exemplar_view told(const exemplar& one, double unit);

  template <typename CellOf>
  [[nodiscard]] std::uint64_t sum(CellOf cell_of) const {
    std::uint64_t total = 0;
    for (const auto& worker : workers_) total += cell_of(*worker).get();
    return total;
  }

  worker_sums::workers_view workers_;
  series_sink& to_;
  std::vector<const namespace_cells*> blocks_;  // of one namespace
  std::vector<const command_cells*> opened_;    // of one command in it
  std::vector<exemplar> exemplars_;             // of one namespace's findings
};

}  // namespace scattergate::telemetry
