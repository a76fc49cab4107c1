#pragma once

#include <chrono>
#include <string>

#include "proxy/settings.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

/// Conditions (problems that log, metrics and page show) that depend on the time since the last
/// success, or on a setting. The control thread checks them, because the thread that should
/// have succeeded may hang, and then counts no failure. Call the functions about once per
/// second.
namespace scattergate::proxy {

/// After this many intervals without success, the catalog and the fleet's counts are out of
/// date.
inline constexpr int intervals_until_stale = 5;

/// Raises the condition catalog_stale while the live catalog is out of date, and sets
/// catalog_facts::is_stale. Its detail names the rules that reject or throttle by the catalog.
void check_catalog_age(config::catalog_facts& facts, const policy& rules,
                       std::chrono::steady_clock::time_point now,
                       telemetry::condition_board& conditions);

/// Raises the condition fleet_stale while the fleet's database lacks this daemon's counts.
/// `database`: the database's name.
void check_fleet_age(const telemetry::daemon_facts& facts, const std::string& database,
                     std::chrono::steady_clock::time_point now,
                     telemetry::condition_board& conditions);

/// Raises the condition inspection_off while the option inspect is off. Its detail names the
/// rules that would reject or throttle.
void check_inspection(const settings& of, telemetry::condition_board& conditions);

/// Calls all functions above. `database`: the name of the fleet's database.
void check_staleness(const settings& of, const telemetry::daemon_facts& facts,
                     const std::string& database, telemetry::condition_board& conditions);

}  // namespace scattergate::proxy
