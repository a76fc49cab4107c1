#include "proxy/staleness.hpp"

#include <cstddef>
#include <string_view>

#include "config/options/rule_match.hpp"
#include "text/time_text.hpp"

namespace scattergate::proxy {
namespace {

using std::chrono::milliseconds;
using telemetry::condition_kind;

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

}  // namespace

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

}  // namespace scattergate::proxy
