#include <gtest/gtest.h>

#include "telemetry/admin/health.hpp"
#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::telemetry {
namespace {

using enum condition_kind;

constexpr auto scattered = static_cast<std::size_t>(routing::routing_class::scatter_gather);

condition active(condition_kind kind, std::string listener = {}) {
  condition made;
  made.kind = kind;
  made.listener = std::move(listener);
  made.active = true;
  return made;
}

condition resolved(condition_kind kind, std::string listener = {}) {
  condition made = active(kind, std::move(listener));
  made.active = false;
  return made;
}

command_counts minute_of(std::uint64_t findings, std::uint64_t commands) {
  command_counts made;
  made.of[scattered] = commands;
  made.of[command_counts::findings] = made.of[command_counts::scattering] = findings;
  return made;
}

command_counts refusals_of(std::uint64_t refused, std::uint64_t scattering,
                           std::uint64_t findings, std::uint64_t commands) {
  command_counts made = minute_of(findings, commands);
  made.of[command_counts::refused] = refused;
  made.of[command_counts::scattering] = scattering;
  return made;
}

std::string shown(const headline& of) {
  return std::string{label(of.level)} + ": " + of.text;
}

TEST(headline, says_the_worst_in_a_few_words) {
  using enum listener_state;
  const std::vector<listener_at> served = {{"a:1", ok}};
  const std::vector<listener_at> stopped = {{"a:1", down}};
  const struct {
    const char* says;
    std::vector<listener_at> listeners;
    const char* unready;
    std::vector<condition> conditions;
    command_counts minute;
  } rows[] = {
      {"ok: OK", served, "", {}, minute_of(0, 100)},
      {"ok: OK", served, "", {resolved(audit_failing)}, {}},
      {"ok: OK", {{"a:1", ok, 3, 60'000, 9'999}}, "", {}, {}},
      {"warning: 1 client waits for a reply, the longest for 11 s",
       {{"a:1", ok, 1, 11'000, 10'000}, {"b:2", ok, 2, 12'000}},
       "",
       {},
       {}},
      {"warning: 5 clients wait for a reply, the longest for 12 s, 1 warning",
       {{"a:1", ok, 3, 12'345, 12'345}, {"b:2", ok, 2, 11'000, 10'000}},
       "",
       {active(wire_errors)},
       {}},
      {"degraded: A mongos answers hellos, but not its clients' commands; 8 clients wait for a "
       "reply, the longest for 14 s",
       {{"a:1", silent, 8, 14'000, 14'000}},
       "",
       {active(upstream_silent, "a:1")},
       {}},
      {"warning: OK, 1 warning", served, "", {active(catalog_failing)}, {}},
      {"warning: OK, 2 warnings", served, "", {active(wire_errors), active(tls_failures)}, {}},
      {"ok: OK", {{"a:1", failing_over}}, "", {}, {}},
      {"scattering: Scattering 57 %", served, "", {active(tls_failures)}, minute_of(57, 100)},
      {"scattering: Scattering 100 %", served, "", {}, minute_of(3, 3)},
      {"scattering: Scattering 1 %", served, "", {}, minute_of(1, 100)},
      {"warning: Refusing 75 %", served, "", {}, refusals_of(75, 0, 75, 100)},
      {"scattering: Refusing 40 %, scattering 17 %",
       served,
       "",
       {},
       refusals_of(40, 17, 57, 100)},
      {"warning: Other findings 99 %", served, "", {}, refusals_of(0, 0, 99, 100)},
      {"scattering: Refusing 75 %, scattering 1 %, other findings 23 %",
       served,
       "",
       {},
       refusals_of(75, 1, 99, 100)},
      {"warning: Inspection is off: no command is judged, and no rule applies",
       served,
       "",
       {active(inspection_off)},
       minute_of(1, 100)},
      {"degraded: The catalog is out of date: it wasn't read for more than five times "
       "catalog.refresh",
       served,
       "",
       {active(catalog_stale)},
       {}},
      {"scattering: Scattering <1 %", served, "", {}, minute_of(1, 101)},
      {"degraded: The audit log can't be written",
       served,
       "",
       {active(audit_failing), active(wire_errors)},
       minute_of(57, 100)},
      {"degraded: A certificate of scattergate has expired, and 1 more error",
       served,
       "",
       {active(certificate_expired), active(state_failing)},
       {}},
      {"degraded: A mongos fails its health check",
       {{"a:1", failing_over}},
       "",
       {active(upstream_failing, "a:1")},
       {}},
      {"down: Not ready: draining", served, "draining", {active(audit_failing)}, {}},
      {"down: mongos down", stopped, "", {active(upstream_failing, "a:1")}, minute_of(1, 1)},
      {"down: mongos down", stopped, "waiting for the first catalog", {}, {}},
      {"down: mongos down behind a:1", {{"a:1", down}, {"b:2", ok}}, "", {}, {}},
      {"down: mongos down behind a:1, b:2", {{"a:1", down}, {"b:2", down}}, "", {}, {}},
      {"down: mongos down behind 1, 2, 3 and 1 more",
       {{"1", down}, {"2", down}, {"3", down}, {"4", down}},
       "",
       {},
       {}},
      {"down: TLS to mongos fails", stopped, "", {active(upstream_tls_failing, "a:1")}, {}},
      {"down: mongos down", stopped, "", {active(upstream_tls_failing, "b:2")}, {}},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(shown(headline_of(row.listeners, row.unready, row.conditions, row.minute)),
              row.says);
  }
}

TEST(listener_state, goes_by_health_checks_and_by_what_clients_met) {
  using health = upstream_health;
  constexpr std::size_t none = 9;
  const struct {
    const char* state;
    std::vector<health> checks;  // of the addresses of one name
    std::size_t active;
    std::vector<condition> conditions;
  } rows[] = {
      {"ok", {health::up}, 0, {}},
      {"ok", {health::unknown}, none, {}},
      {"ok", {health::up, health::down}, 0, {active(upstream_failing, "a:1")}},
      {"ok", {health::unknown}, 0, {active(upstream_unreachable, "b:2")}},
      {"ok", {health::unknown}, 0, {resolved(upstream_unreachable, "a:1")}},
      {"ok", {health::up}, 0, {active(upstream_tls_failing, "a:1")}},
      {"failing over", {health::down, health::up}, 0, {}},
      {"failing over", {health::silent, health::up}, 0, {}},
      {"no replies", {health::silent}, 0, {active(upstream_silent, "a:1")}},
      {"no replies", {health::down, health::silent}, 1, {active(upstream_unreachable, "a:1")}},
      {"down", {health::down}, 0, {}},
      {"down", {health::down, health::down}, 1, {}},
      {"down", {health::unknown}, 0, {active(upstream_unreachable, "a:1")}},
      {"down", {health::unknown}, 0, {active(upstream_tls_failing, "a:1")}},
  };
  for (const auto& row : rows) {
    listener_facts facts;
    facts.address = "a:1";
    upstream_entry name{std::make_shared<upstream_facts>("m"), {}};
    for (const health each : row.checks) {
      const auto& address = name.addresses.emplace_back(std::make_shared<address_facts>("a"));
      address->health = each;
      address->is_active = name.addresses.size() == row.active + 1;
    }
    facts.show_upstreams({std::move(name)});
    EXPECT_EQ(label(state_of(facts, row.conditions)), row.state)
        << row.checks.size() << " upstreams, row " << &row - &rows[0];
  }
}

TEST(listener_state, is_down_where_no_name_can_be_resolved) {
  listener_facts facts;
  const auto name = std::make_shared<upstream_facts>("m");
  facts.show_upstreams({{name, {}}});
  EXPECT_EQ(state_of(facts, {}), listener_state::ok);
  name->is_unresolved = true;
  EXPECT_EQ(state_of(facts, {}), listener_state::down);
}

}  // namespace
}  // namespace scattergate::telemetry
