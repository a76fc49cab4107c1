#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "config/cluster/catalog_facts.hpp"
#include "telemetry/audit/audit_log.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/metrics/daemon_facts.hpp"
#include "telemetry/metrics/process_stats.hpp"
#include "telemetry/samples/check_queue.hpp"
#include "wire/label_table.hpp"

/// The table of metric families. A family is all series with one name; each row describes one.

namespace scattergate::telemetry {

/// The type of a family, which /metrics shows in the family's TYPE line.
enum class metric_type : std::uint8_t { counter, gauge, histogram };

/// The metric families whose series are built by code instead of being read from one member:
/// histograms, and families with a series per namespace, listener or enumerator.
enum class metric : std::uint8_t {
  commands,
  statements,
  findings,
  rule_hits,
  new_shapes,
  fanout_shards,
  command_duration,
  command_errors,
  inspect,
  wire_errors,
  uninspected_messages,
  series_overflow,
  series_given_back,
  worker_connections,
  connections_closed,
  upstream_active,
  upstream_up,
  upstream_address_up,
  upstream_address_connections,
  upstream_addresses_left_out,
  upstream_failures,
  upstream_failovers,
  upstream_health_checks,
  clients_waiting,
  longest_wait,
  catalog_state,
  catalog_loads,
  catalog_refresh_triggers,
  catalog_key_only,
  driver_restarts,
  certificate_expiry,
  condition_active,
  cold_start,
  worker_engine,
  build_info,
};

/// A pointer to the member from which the value of a series is read. The value of a member of
/// worker_counters is summed over all workers.
using counted_at =
    std::variant<cell worker_counters::*, std::atomic<std::uint64_t> daemon_facts::*,
                 std::atomic<std::int64_t> daemon_facts::*,
                 std::atomic<std::uint64_t> config::catalog_facts::*,
                 std::atomic<std::int64_t> config::catalog_facts::*,
                 std::atomic<std::uint64_t> check_facts::*,
                 std::atomic<std::uint64_t> audit_totals::*, std::uint64_t process_stats::*,
                 double process_stats::*>;

/// A series whose value is read from one member.
struct counted_series {
  std::string_view label;  ///< the label's value; empty if the family has no label
  counted_at at;           ///< the member with the value
  double unit = 1;         ///< the value is divided by this to get the family's unit
};

/// Where the series of one metric family come from: code, or members of structs.
class metric_source {
 public:
  /// The maximum number of a family's series that are read from members.
  static constexpr std::size_t max_series = 3;

  // NOLINTBEGIN(google-explicit-constructor): keeps the table's rows short

  /// The series are built by code.
  constexpr metric_source(metric by_code) : by_code_(by_code) {}

  /// One series without a label, whose value is the member `at` divided by `unit`.
  template <typename Number, typename Owner>
  constexpr metric_source(Number Owner::*at, double unit = 1)
      : series_{{{{}, at, unit}}}, size_(1) {}

  // NOLINTEND(google-explicit-constructor)

  /// Several series, each read from one member. The label named `label` distinguishes them.
  constexpr metric_source(const char* label, std::initializer_list<counted_series> each)
      : label_(label), size_(each.size()) {
    std::copy(each.begin(), each.end(), series_.begin());
  }

  /// The family whose series are built by code; std::nullopt if the series are read from
  /// members.
  [[nodiscard]] constexpr std::optional<metric> by_code() const noexcept { return by_code_; }
  /// The name of the label; null if the series have no label or are built by code.
  [[nodiscard]] constexpr const char* label() const noexcept { return label_; }
  /// The series that are read from members; empty if the series are built by code.
  [[nodiscard]] constexpr std::span<const counted_series> series() const noexcept {
    return std::span{series_}.first(size_);
  }

 private:
  std::optional<metric> by_code_;
  const char* label_ = nullptr;
  std::array<counted_series, max_series> series_{};
  std::size_t size_ = 0;
};

/// A metric family: the series with one name.
struct metric_row {
  std::string_view name;  ///< the family's name in /metrics
  metric_type type;
  std::string_view help;  ///< the HELP text
  metric_source source;
};

/// The table of all metric families, in the order of /metrics. A family is all series with one
/// name. Each row has the family's name, type, HELP text, and the source of its values (members
/// of structs, or code). To add a metric, add a member for its value, a row here, and a row in
/// docs/metrics.md.
[[nodiscard]] std::span<const metric_row> metric_list() noexcept;

/// The results of row_of(), indexed by `metric`.
extern const std::array<std::size_t, wire::enum_count<metric>()> coded_rows;
/// The index in metric_list() of the family `id`, whose series are built by code.
[[nodiscard]] inline std::size_t row_of(metric id) noexcept {
  return coded_rows[static_cast<std::size_t>(id)];
}

}  // namespace scattergate::telemetry
