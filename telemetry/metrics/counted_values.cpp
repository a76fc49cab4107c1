#include "telemetry/metrics/counted_values.hpp"

#include <optional>
#include <variant>

#include "telemetry/metrics/metric_list.hpp"

namespace scattergate::telemetry {
namespace {

template <typename Number>
std::optional<double> relaxed(const std::atomic<Number>& from) {
  return static_cast<double>(from.load(std::memory_order_relaxed));
}

/// The value of a member of an owner; std::nullopt if it has no meaning at present.
class value_at {
 public:
  explicit value_at(const counted_owners& owners) : owners_(owners) {}

  std::optional<double> operator()(cell worker_counters::*at) const {
    std::uint64_t sum = 0;
    for (const auto& worker : owners_.workers) sum += ((*worker).*at).get();
    return static_cast<double>(sum);
  }
  template <typename Number>
  std::optional<double> operator()(std::atomic<Number> daemon_facts::*at) const {
    return relaxed(owners_.daemon.*at);
  }
  template <typename Number>
  std::optional<double> operator()(std::atomic<Number> config::catalog_facts::*at) const {
    const config::catalog_facts& facts = *owners_.daemon.catalog;
    if (!facts.is_live.load()) return std::nullopt;  // no alert without live data
    return relaxed(facts.*at);
  }
  std::optional<double> operator()(std::atomic<std::uint64_t> check_facts::*at) const {
    return relaxed(owners_.checks.*at);
  }
  std::optional<double> operator()(std::uint64_t audit_log::counts::*at) const {
    return static_cast<double>(owners_.audit.*at);
  }
  template <typename Number>
  std::optional<double> operator()(Number process_stats::*at) const {
    return static_cast<double>(owners_.process.*at);
  }

 private:
  const counted_owners& owners_;
};

}  // namespace

void add_counted(series_sink& to, const counted_owners& owners) {
  const value_at value{owners};
  for (std::size_t row = 0; row < metric_list().size(); ++row) {
    const metric_source& source = metric_list()[row].source;
    for (const counted_series& each : source.series()) {
      const std::optional<double> number = std::visit(value, each.at);
      if (!number) continue;
      if (source.label() == nullptr) {
        to.add(row, *number / each.unit, {});
      } else {
        to.add(row, *number / each.unit, {{source.label(), each.label}});
      }
    }
  }
}

}  // namespace scattergate::telemetry
