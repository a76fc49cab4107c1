#include "telemetry/metrics/metrics_collector.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "telemetry/metrics/metric_list.hpp"
#include "telemetry/metrics/process_stats.hpp"
#include "telemetry/metrics/series_sink.hpp"
#include "telemetry/metrics/worker_totals.hpp"

namespace scattergate::telemetry {
namespace {

/// The objects ("owners") whose members hold the numbers that metric_list() names, for one
/// scrape (a request for /metrics). References, except that `process` is a copy.
struct counted_owners {
  worker_sums::workers_view workers;
  const daemon_facts& daemon;
  const check_facts& checks;
  const audit_totals& audit;  ///< zeros if there is no audit log
  process_stats process;
};

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
  std::optional<double> operator()(std::atomic<std::uint64_t> audit_totals::*at) const {
    return relaxed(owners_.audit.*at);
  }
  template <typename Number>
  std::optional<double> operator()(Number process_stats::*at) const {
    return static_cast<double>(owners_.process.*at);
  }

 private:
  const counted_owners& owners_;
};

/// Adds every series of metric_list() whose value is a member of an owner, not computed by
/// code, to `to`. Omits the series about reading the catalog while the catalog isn't read from
/// a cluster.
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

/// How many times evict_quiet() checks all ids within one quiet time.
constexpr int looks_per_quiet_time = 16;

/// Adds a series per value of an enum, with its label.
template <typename Enum, typename Counts>
void add_labelled(series_sink& to, metric id, const char* name, const Counts& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    to.add(id, counts[i].load(), {{name, label(static_cast<Enum>(i))}});
  }
}

/// Adds the series of one mongos of a listener.
void add_upstream(series_sink& to, std::string_view listener, const upstream_entry& of) {
  using labels = series_sink::labels;
  const std::string_view name = of.counts->name;
  const auto add_up = [&to](metric row, upstream_health health, labels of_it) {
    if (health == upstream_health::unknown) return;
    to.add(row, health == upstream_health::up ? 1.0 : 0.0, of_it);
  };
  const labels of_name = {{"listener", listener}, {"upstream", name}};
  to.add(metric::upstream_active, of.is_active() ? 1.0 : 0.0, of_name);
  add_up(metric::upstream_up, of.health(), of_name);
  to.add(metric::upstream_addresses_left_out, of.counts->addresses_left_out.load(), of_name);
  for (const auto& each : of.addresses) {
    const labels of_address = {
        {"listener", listener}, {"upstream", name}, {"address", each->address}};
    add_up(metric::upstream_address_up, each->health.load(), of_address);
    to.add(metric::upstream_address_connections, each->connections.load(), of_address);
  }
  for (std::size_t why = 0; why < upstream_failure_count; ++why) {
    to.add(metric::upstream_failures, of.counts->failures[why].load(),
           {{"listener", listener},
            {"upstream", name},
            {"reason", label(static_cast<upstream_failure>(why))}});
  }
}

}  // namespace

metrics_collector::metrics_collector(std::size_t max_namespaces)
    : namespaces_(max_namespaces),
      new_shapes_(namespaces_.capacity(), 0),
      activities_(namespaces_.capacity()) {}

metrics_collector::~metrics_collector() = default;

worker_metrics& metrics_collector::add_worker() {
  const std::lock_guard lock{mutex_};
  return *workers_.emplace_back(std::make_unique<worker_metrics>(namespaces_, rules_));
}

listener_facts& metrics_collector::add_listener(std::string address) {
  const std::lock_guard lock{mutex_};
  listener_facts& added = *listeners_.emplace_back(std::make_unique<listener_facts>());
  added.address = std::move(address);
  return added;
}

void metrics_collector::for_each_listener(
    const std::function<void(const listener_facts&)>& at) const {
  const std::lock_guard lock{mutex_};
  for (const auto& each : listeners_) at(*each);
}

std::uint64_t metrics_collector::open_connections() const {
  const std::lock_guard lock{mutex_};
  std::uint64_t open = 0;
  for (const auto& each : workers_) open += each->connections_open.get();
  return open;
}

void metrics_collector::count_new_shape(std::string_view database,
                                        std::string_view collection) {
  const std::lock_guard lock{mutex_};  // locked first: the id must not be reassigned before it
                                       // is used
  const namespace_id id = namespaces_.find(database, collection).value_or(other_namespace);
  ++new_shapes_[id];
}

std::uint64_t metrics_collector::counted(namespace_id id) const {
  std::uint64_t sum = 0;
  for (const auto& worker : workers_) sum += worker->counted(id);
  return sum;
}

void metrics_collector::evict_quiet(clock::time_point now, std::chrono::nanoseconds quiet) {
  const std::lock_guard lock{mutex_};  // keeps scrapes from reading the counters
  namespaces_.free_released([this](namespace_id id) {
    const bool is_evictable = namespaces_.is_provisional(id);
    if (!is_evictable && counted(id) != activities_[id]->counted) return false;
    for (const auto& worker : workers_) worker->close(id);
    new_shapes_[id] = 0;
    activities_[id].reset();
    return true;
  });
  for (const namespace_id id : namespaces_.evictable()) namespaces_.leave(id);
  if (now - looked_at_ < quiet / looks_per_quiet_time) return;
  looked_at_ = now;
  for (const namespace_id id : namespaces_.ordinary()) {
    const std::uint64_t sum = counted(id);
    auto& last = activities_[id];
    if (!last || last->counted != sum) {
      last = {sum, now};
    } else if (now - last->since >= quiet) {
      namespaces_.leave(id);
    }
  }
}

void metrics_collector::watch_audit(const audit_log* audit) {
  const std::lock_guard lock{mutex_};
  audit_ = audit;
}

void metrics_collector::show_engine(engine_info chosen) {
  const std::lock_guard lock{mutex_};
  engine_ = std::move(chosen);
}

void metrics_collector::show_admin_certificate(std::int64_t expires_at) {
  const std::lock_guard lock{mutex_};
  admin_certificate_expires_at_ = expires_at;
}

void metrics_collector::note_handover() {
  const std::lock_guard lock{mutex_};
  is_successor_ = true;
}

void metrics_collector::watch_checks(const check_facts* of_checks) {
  const std::lock_guard lock{mutex_};
  checks_ = of_checks;
}

void metrics_collector::watch_conditions(const condition_board& board) {
  const std::lock_guard lock{mutex_};
  conditions_ = &board;
}

std::vector<rule_total> metrics_collector::rule_totals() const {
  const std::lock_guard lock{mutex_};
  return worker_sums{workers_}.rules(rules_.names());
}

std::uint64_t metrics_collector::namespace_overflow() const {
  const std::lock_guard lock{mutex_};
  return namespaces_.overflow_count() + worker_sums{workers_}.namespace_overflow();
}

void metrics_collector::collect(series_sink& to) const {
  const std::lock_guard lock{mutex_};
  worker_totals totals{workers_, to};
  add_namespaces(to, totals);
  totals.add_rule_hits(rules_.names());
  totals.add_durations();
  totals.add_errors();
  totals.add_unread();
  totals.add_connections();
  add_counted_numbers(to);
  add_catalog(to);
  add_listeners(to);
  add_certificates(to);
  add_conditions(to);
  if (!is_successor_) {
    to.add(metric::cold_start, read_process_stats().start_time_seconds);
  }
  if (!engine_.name.empty()) {
    to.add(metric::worker_engine, 1.0, {{"engine", engine_.name}, {"reason", engine_.reason}});
  }
  const build_info build = this_build();
  to.add(metric::build_info, 1.0,
         {{"version", build.version}, {"compiler", build.compiler}, {"boost", build.boost}});
}

void metrics_collector::add_namespaces(series_sink& to, worker_totals& totals) const {
  for (const auto& [id, labels] : namespaces_.all()) {
    totals.add_namespace(id, labels);
    if (new_shapes_[id] != 0) {
      to.add(metric::new_shapes, new_shapes_[id],
             {{"db", labels.database}, {"collection", labels.collection}});
    }
  }
  to.add(metric::series_overflow,
         namespaces_.overflow_count() + worker_sums{workers_}.namespace_overflow(),
         {{"family", "namespaces"}});
  to.add(metric::series_given_back, namespaces_.evicted_count(), {{"family", "namespaces"}});
}

void metrics_collector::add_counted_numbers(series_sink& to) const {
  const check_facts no_checks;
  const audit_totals no_audit;
  add_counted(to, {.workers = workers_,
                   .daemon = facts_,
                   .checks = checks_ != nullptr ? *checks_ : no_checks,
                   .audit = audit_ != nullptr ? audit_->totals() : no_audit,
                   .process = read_process_stats()});
}

void metrics_collector::add_catalog(series_sink& to) const {
  const config::catalog_facts& facts = *facts_.catalog;
  const config::catalog_state now = facts.state.load();
  for (std::size_t i = 0; i < config::catalog_state_count; ++i) {
    const auto state = static_cast<config::catalog_state>(i);
    to.add(metric::catalog_state, state == now ? 1.0 : 0.0, {{"state", label(state)}});
  }
  add_labelled<config::driver_end>(to, metric::driver_restarts, "cause",
                                   facts_.driver_restarts);
  if (!facts.is_live.load()) return;  // no alert without live data
  add_labelled<config::load_result>(to, metric::catalog_loads, "result", facts.loads);
  add_labelled<config::load_trigger>(to, metric::catalog_refresh_triggers, "trigger",
                                     facts.triggers);
  add_labelled<config::key_only_reason>(to, metric::catalog_key_only, "reason", facts.key_only);
}

void metrics_collector::add_conditions(series_sink& to) const {
  if (conditions_ == nullptr) return;
  const condition_board::kind_set active = conditions_->active_kinds();
  for (std::size_t i = 0; i < condition_kind_count; ++i) {
    const auto kind = static_cast<condition_kind>(i);
    to.add(metric::condition_active, active.test(i) ? 1.0 : 0.0,
           {{"kind", label(kind)}, {"severity", severity_label(kind)}});
  }
}

void metrics_collector::add_listeners(series_sink& to) const {
  for (const auto& facts : listeners_) {
    const std::string_view address = facts->address;
    for (const upstream_entry& each : facts->upstreams()) add_upstream(to, address, each);
    to.add(metric::upstream_failovers, facts->failovers.load(), {{"listener", address}});
    to.add(metric::upstream_health_checks, facts->health_checks_passed.load(),
           {{"listener", address}, {"result", "passed"}});
    to.add(metric::upstream_health_checks, facts->health_checks_failed.load(),
           {{"listener", address}, {"result", "failed"}});
    to.add(metric::clients_waiting, facts->clients_waiting(), {{"listener", address}});
    to.add(metric::longest_wait, static_cast<double>(facts->longest_wait_millis()) / 1e3,
           {{"listener", address}});
  }
}

void metrics_collector::add_certificates(series_sink& to) const {
  const auto add = [&to](std::string_view listener, std::string_view peer, std::int64_t at) {
    if (at == 0) return;
    to.add(metric::certificate_expiry, static_cast<double>(at),
           {{"listener", listener}, {"presented_to", peer}});
  };
  for (const auto& facts : listeners_) {
    add(facts->address, "clients", facts->certificate_expires_at);
    add(facts->address, "mongos", facts->upstream_certificate_expires_at);
  }
  add({}, "admin", admin_certificate_expires_at_);
}

}  // namespace scattergate::telemetry
