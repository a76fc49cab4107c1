#include "proxy/faults/daemon_checks.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options/rule_match.hpp"
#include "telemetry/log/log.hpp"
#include "text/time_text.hpp"

namespace scattergate::proxy {
namespace {

namespace log = telemetry::log;
using telemetry::condition_kind;
using wall_clock = std::chrono::system_clock;

void log_message(bool is_error, std::string_view message) {
  // A warning at most: if a failure matters, the driver also returns it as an error.
  log::write(is_error ? log::severity::warning : log::severity::debug, log::component::catalog,
             7005, "MongoDB driver message", {{"message", std::string{message}}});
}

using std::chrono::milliseconds;

constexpr std::size_t most_named_rules = 3;

bool is_old(std::chrono::steady_clock::time_point fresh_at, milliseconds interval,
            std::chrono::steady_clock::time_point now) noexcept {
  return now - fresh_at > intervals_until_stale * interval;
}

/// Names the rules that reject or throttle, and for which `is_meant` is true: ", so rules that
/// reject or throttle don't apply: a, b and 3 more". Empty if there is none.
template <typename IsMeant>
std::string refusing_rules(const policy& rules, std::string_view says, IsMeant is_meant) {
  std::string text;
  std::size_t count = 0;
  for (const config::rule& each : rules.all()) {
    const bool refuses = each.action == config::rule_action::reject ||
                         each.action == config::rule_action::throttle;
    if (!refuses || each.dry_run || !is_meant(each)) continue;
    if (++count > most_named_rules) continue;
    text += (count == 1 ? std::string{says} : ",") + " " + each.name;
  }
  if (count > most_named_rules) {
    text += " and " + std::to_string(count - most_named_rules) + " more";
  }
  return text;
}

/// Raises a condition while the operational log can't be written, and counts the lost lines in
/// `facts`.
void check_log(telemetry::condition_board& conditions, telemetry::daemon_facts& facts) {
  log::write_again();
  const log::log_file::state now = log::writing();
  facts.log_lines_lost = now.lost_lines;
  if (!now.lost_by) return conditions.clear_all_but(condition_kind::log_failing, {});
  const std::string file = log::file();
  conditions.hold(condition_kind::log_failing, file == "-" ? "standard error" : file,
                  now.lost_by->what);
}

}  // namespace

driver_watch::driver_watch(telemetry::condition_board& conditions, counts& restarts) {
  config::driver_events events;
  events.on_message = log_message;
  events.on_failure = [&conditions, &restarts](const std::string& application,
                                               config::driver_end how, const std::string& why) {
    restarts[static_cast<std::size_t>(how)].fetch_add(1);
    conditions.raise(condition_kind::driver_failing, application,
                     std::string{config::label(how)} + ": " + why);
  };
  events.on_recovery = [&conditions](const std::string& application) {
    conditions.clear(condition_kind::driver_failing, application);
  };
  config::set_driver_events(std::move(events));
}

driver_watch::~driver_watch() {
  config::set_driver_events({});
}

void check_catalog_age(config::catalog_facts& facts, const policy& rules,
                       std::chrono::steady_clock::time_point now,
                       telemetry::condition_board& conditions) {
  facts.is_stale = facts.is_live && is_old(facts.fresh_at, milliseconds{facts.refresh_ms}, now);
  if (!facts.is_stale) return conditions.clear_all_but(condition_kind::catalog_stale, {});
  const auto asks = [](const config::rule& each) { return config::asks_catalog(each.match); };
  conditions.hold(condition_kind::catalog_stale, "catalog",
                  read_at_text(facts) +
                      refusing_rules(rules, "; rules that reject or throttle by it:", asks));
}

void check_fleet_age(const telemetry::daemon_facts& facts, const std::string& database,
                     std::chrono::steady_clock::time_point now,
                     telemetry::condition_board& conditions) {
  const auto fresh_at = facts.fleet_fresh_at.load();
  const milliseconds interval{facts.fleet_interval_ms.load()};
  const bool has_begun = fresh_at != std::chrono::steady_clock::time_point{};
  if (!has_begun || interval.count() == 0 || !is_old(fresh_at, interval, now)) {
    return conditions.clear_all_but(condition_kind::fleet_stale, {});
  }
  const std::chrono::seconds at{facts.fleet_flushed_at.load()};
  conditions.hold(
      condition_kind::fleet_stale, database,
      at.count() == 0
          ? std::string{"never acknowledged"}
          : "last acknowledged " + text::time_text(std::chrono::system_clock::time_point{at}));
}

void check_inspection(const settings& of, telemetry::condition_board& conditions) {
  if (of.inspect) return conditions.clear_all_but(condition_kind::inspection_off, {});
  const auto any = [](const config::rule&) { return true; };
  const std::string ignored =
      refusing_rules(of.rules, "rules that would reject or throttle don't apply:", any);
  conditions.hold(condition_kind::inspection_off, "inspect", ignored);
}

void check_staleness(const settings& of, const telemetry::daemon_facts& facts,
                     const std::string& database, telemetry::condition_board& conditions) {
  const auto now = std::chrono::steady_clock::now();
  check_catalog_age(*facts.catalog, of.rules, now, conditions);
  check_fleet_age(facts, database, now, conditions);
  check_inspection(of, conditions);
}

void limit_checks::check_all(const counted& parts) {
  check_log(conditions_, parts.metrics.facts());
  check("limits.memory",
        "too little memory is left: messages are forwarded unread, or fewer shapes are counted",
        parts.memory.refusals());
  check("audit.max_shapes", "further query shapes share the audit line __other__",
        parts.audit.totals().overflow);
  check("metrics.max_namespaces", "further collections share the metric label __other__",
        parts.metrics.namespace_overflow());
  check("cursors", "cursors are evicted; their getMores count as unknown",
        parts.metrics.facts().cursors_evicted);
  check("admin connections", "a connection was closed to make room for another",
        parts.admin.guests_cut());
}

void limit_checks::check(std::string_view name, std::string_view what, std::uint64_t reached) {
  const std::uint64_t before = std::exchange(seen_[name], reached);
  if (reached <= before) return;
  conditions_.raise(condition_kind::limit_reached, name, what, reached - before);
}

std::int64_t certificate_end(const net::tls_context* of) noexcept {
  return of != nullptr ? of->expires_at() : 0;
}

void show_certificate_ends(const listener_settings& of, telemetry::listener_facts& to) {
  to.certificate_expires_at = certificate_end(of.client_tls.get());
  to.upstream_certificate_expires_at = certificate_end(of.upstream_tls.get());
}

void check_certificates(const settings& of, const std::vector<std::string>& listeners,
                        wall_clock::time_point now, telemetry::condition_board& conditions) {
  using telemetry::condition_subject;
  std::vector<condition_subject> expired;
  std::vector<condition_subject> expiring;
  const auto check = [&](const net::tls_context* tls, std::string_view listener) {
    if (tls == nullptr) return;
    const net::certificate_phase phase = tls->life().phase(now);
    const bool is_over = phase == net::certificate_phase::expired;
    if (!is_over && phase != net::certificate_phase::expires_soon) return;
    const wall_clock::time_point end{std::chrono::seconds{tls->expires_at()}};
    const condition_subject subject{tls->certificate_file(), listener};
    (is_over ? expired : expiring).push_back(subject);
    conditions.hold(
        is_over ? condition_kind::certificate_expired : condition_kind::certificate_expiring,
        subject, "valid until " + text::time_text(end));
  };
  for (std::size_t i = 0; i < of.listeners.size(); ++i) {
    check(of.listeners[i].client_tls.get(), listeners[i]);
    check(of.listeners[i].upstream_tls.get(), listeners[i]);
  }
  check(of.admin.tls.get(), {});
  conditions.clear_all_but(condition_kind::certificate_expired, expired);
  conditions.clear_all_but(condition_kind::certificate_expiring, expiring);
}

}  // namespace scattergate::proxy
