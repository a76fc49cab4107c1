#include "telemetry/conditions/condition.hpp"

#include <array>
#include <cstddef>

#include "text/time_text.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {
namespace {

using log::component;
using log::severity;
using enum condition_kind;

/// The time without recurrence after which conditions about connections end: they have no
/// explicit end.
constexpr std::chrono::seconds quiet{60};

/// The same for clients that can't connect: longer than the 10 s between two attempts of a
/// driver's monitor, which would otherwise end and begin the condition each time.
constexpr std::chrono::seconds unrefused{20};

/// A driver process for a view that is never requested again has no success that ends its
/// condition; all others are started again sooner.
constexpr std::chrono::minutes driver_lapse{10};

constexpr auto table = std::to_array<condition_rules>({
    {upstream_unreachable,
     "upstream_unreachable",
     {severity::error, component::proxy, 1012,
      "No mongos can be reached; the listener's clients are disconnected, or wait if mongos "
      "hangs"},
     {severity::info, component::proxy, 1013, "A mongos can be reached again"},
     "Check that mongos is up, that its name resolves, and that its port is open from here.",
     "scattergateupstreamdown"},
    {upstream_failing,
     "upstream_failing",
     {severity::error, component::proxy, 1015,
      "A mongos fails its health check; another serves the clients, if there is one"},
     {severity::info, component::proxy, 1016, "A mongos passes its health check again"},
     "Check that this mongos is up and answers, and that it can be reached from here.",
     "scattergateupstreamdown"},
    {upstream_silent,
     "upstream_silent",
     {severity::error, component::proxy, 1017,
      "A mongos answers hellos, but not its clients' commands; another serves them, if one "
      "answers"},
     {severity::info, component::proxy, 1018, "A mongos answers its clients' commands again"},
     "Check that this mongos reaches its config servers and the shards, and that they answer.",
     "scattergateupstreamsilent"},
    {upstream_tls_failing,
     "upstream_tls_failing",
     {severity::error, component::proxy, 1010,
      "TLS to mongos failed; clients can't use this mongos"},
     {severity::info, component::proxy, 1014, "TLS to mongos works again"},
     "Check upstream_tls and mongos's certificate: its CA, its name and its dates.",
     "tls-to-mongos-fails"},
    {limit_reached,
     "limit_reached",
     {severity::warning, component::proxy, 1030, "A limit is reached"},
     {severity::info, component::proxy, 1031, "A limit has not been reached for a minute"},
     "Raise the limit, or find out why it is reached.",
     "scattergatelimitreached",
     quiet},
    {clients_refused,
     "clients_refused",
     {severity::error, component::proxy, 1038,
      "New clients can't connect, because connections or file descriptors are used up"},
     {severity::info, component::proxy, 1039, "New clients can connect again"},
     "Raise limits.connections, or the hard limit of open files (LimitNOFILE), or find the "
     "client that opens so many connections.",
     "scattergateclientsrefused",
     unrefused},
    {wire_errors,
     "wire_errors",
     {severity::warning, component::proxy, 1032,
      "A peer violates MongoDB's wire protocol; its connection was closed"},
     {severity::info, component::proxy, 1033,
      "A peer has not violated MongoDB's wire protocol for a minute"},
     "Identify the client: an HTTP probe, a port scan, TLS to a plain listener, or plain "
     "traffic to a TLS listener.",
     "scattergatewireerrors",
     quiet},
    {tls_failures,
     "tls_failures",
     {severity::warning, component::proxy, 1034,
      "TLS with a client failed; the client was disconnected"},
     {severity::info, component::proxy, 1035, "TLS with a client has not failed for a minute"},
     "Check the client's CA file and certificate against listeners[].tls, or admin.tls at the "
     "admin address.",
     "tls-with-a-client-fails",
     quiet},
    {unknown_sections,
     "unknown_sections",
     {severity::error, component::proxy, 1036,
      "A rule rejects messages with a section that this version can't read; the client gets "
      "errors"},
     {severity::info, component::proxy, 1037,
      "No message with an unreadable section has been rejected for a minute"},
     "Update scattergate. Until then, set dry_run: true on the rule, and send HUP.",
     "a-rule-rejects-unreadable-messages",
     quiet},
    {audit_failing,
     "audit_failing",
     {severity::error, component::audit, 5002,
      "The audit log can't be written; findings wait in memory"},
     {severity::info, component::audit, 5003,
      "The audit log can be written again; no finding was lost"},
     "Free disk space, or fix the path: writing is retried every two seconds.",
     "scattergateauditnotwriting"},
    {catalog_failing,
     "catalog_failing",
     {severity::warning, component::catalog, 7002,
      "The catalog can't be read from the cluster"},
     {severity::info, component::catalog, 7006,
      "The catalog can be read from the cluster again"},
     "Run scattergate check --connect: it shows whether mongos can be reached, and whether the "
     "user in catalog.uri_file may read the catalog.",
     "scattergatecatalogstale"},
    {collection_unreadable,
     "collection_unreadable",
     {severity::warning, component::catalog, 7011,
      "A collection of the catalog can't be read; commands on it are unknown"},
     {severity::info, component::catalog, 7012,
      "A collection can be read again, or is no longer in the catalog"},
     "Correct the collection at the place that the detail names; after a change of a file, "
     "send "
     "HUP.",
     "a-collection-cant-be-read"},
    {reload_failed,
     "reload_failed",
     {severity::error, component::config, 3002,
      "Configuration not reloaded; the old one stays in use"},
     {severity::info, component::config, 3004,
      "The configuration was reloaded after a failed attempt"},
     "Fix the configuration, run scattergate check, and send HUP again.",
     "scattergatereloadfailed",
     std::chrono::seconds{0},
     std::chrono::seconds{0}},
    {settings_ignored,
     "settings_ignored",
     {severity::warning, component::config, 3003,
      "A changed setting needs a restart; the old value stays in use"},
     {severity::info, component::config, 3005, "Setting reverted; no restart needed"},
     "Restart scattergate, or revert the change and send HUP.",
     "a-changed-setting-needs-a-restart"},
    {state_failing,
     "state_failing",
     {severity::error, component::audit, 5012,
      "The state file can't be written; a crash loses the counts since the last write"},
     {severity::info, component::audit, 5013, "The state file can be written again"},
     "Free disk space, fix the directory's permissions, or give each process its own "
     "state.file.",
     "scattergatestatenotwriting"},
    {certificate_expired,
     "certificate_expired",
     {severity::error, component::proxy, 1040,
      "A certificate of scattergate has expired; clients, or mongos, refuse it"},
     {severity::info, component::proxy, 1041,
      "An expired certificate of scattergate was replaced or removed"},
     "Replace the certificate and send HUP.",
     "scattergatecertificateexpired"},
    {certificate_expiring,
     "certificate_expiring",
     {severity::warning, component::proxy, 1042,
      "A certificate of scattergate expires within 14 days"},
     {severity::info, component::proxy, 1043,
      "A certificate that was about to expire was replaced or removed, or has expired"},
     "Replace the certificate and send HUP.",
     "scattergatecertificateexpiring"},
    {fleet_failing,
     "fleet_failing",
     {severity::warning, component::audit, 5020,
      "The fleet's database can't be written; counts wait in the state file"},
     {severity::info, component::audit, 5021, "The fleet's database can be written again"},
     "Check that the database in fleet.uri_file can be reached, and that its user has the role "
     "that scattergate fleet init prints.",
     "scattergatefleetnotflushing"},
    {fleet_name_taken,
     "fleet_name_taken",
     {severity::error, component::audit, 5022,
      "Another daemon has this fleet.name; this one writes no counts to the fleet's database"},
     {severity::info, component::audit, 5023,
      "This daemon holds its fleet.name again; it writes counts to the fleet's database"},
     "Give each daemon a fleet.name and a state.file of its own.",
     "two-daemons-have-one-fleetname"},
    {driver_failing,
     "driver_failing",
     {severity::warning, component::catalog, 7009,
      "The process that runs the MongoDB driver failed; another one is started"},
     {severity::info, component::catalog, 7010, "The MongoDB driver works again"},
     "Find out what the server in this connection string answers: scattergate check --connect "
     "calls it with the same driver.",
     "the-mongodb-driver-fails",
     driver_lapse},
    {state_late,
     "state_late",
     {severity::warning, component::audit, 5029,
      "Counts waited longer than state.interval for the state file; a crash would lose them"},
     {severity::info, component::audit, 5030, "The state file is written in time again"},
     "Put the state file on a faster disk, or raise state.interval.",
     "scattergatestatenotwriting",
     quiet},
    {catalog_stale,
     "catalog_stale",
     {severity::error, component::catalog, 7007,
      "The catalog is out of date: it wasn't read for more than five times catalog.refresh"},
     {severity::info, component::catalog, 7008, "The catalog is up to date again"},
     "See line 7002 for the cause. Without such a line, the catalog's reader hangs: restart "
     "scattergate, and report a bug.",
     "scattergatecatalogstale"},
    {fleet_stale,
     "fleet_stale",
     {severity::error, component::audit, 5033,
      "The fleet's database lacks this daemon's counts: it acknowledged none for more than "
      "five "
      "times fleet.interval"},
     {severity::info, component::audit, 5034,
      "The fleet's database has acknowledged this daemon's counts again"},
     "See lines 5020 and 5022 for the cause. Without such a line, the writer hangs: restart "
     "scattergate, and report a bug.",
     "scattergatefleetstale"},
    {inspection_off,
     "inspection_off",
     {severity::warning, component::config, 3009,
      "Inspection is off; no command is judged or counted, and no rule applies"},
     {severity::info, component::config, 3010, "Inspection is on again"},
     "Set inspect: on, and send HUP.",
     "scattergateinspectionoff"},
    {state_damaged,
     "state_damaged",
     {severity::warning, component::audit, 5031,
      "The state file was damaged; counts of query shapes from before this are missing"},
     {severity::info, component::audit, 5032,
      "The damaged state file was removed, or is a day old"},
     "Check the disk. To end the condition, delete or move the file that was set aside.",
     "the-state-file-was-damaged"},
    {log_failing,
     "log_failing",
     {severity::error, component::config, 4003, "The log can't be written; its lines are lost"},
     {severity::info, component::config, 4004, "The log can be written again"},
     "Free disk space, or restart what reads standard error.",
     "the-log-cant-be-written"},
});

static_assert(wire::has_each_in_order(table, &condition_rules::kind));

constexpr wire::label_table<severity> severity_labels{{
    {severity::debug, "debug"},
    {severity::info, "info"},
    {severity::warning, "warning"},
    {severity::error, "error"},
    {severity::fatal, "fatal"},
}};

log::value listener_of(const condition& of) {
  if (of.listener.empty()) return std::monostate{};
  return of.listener;
}

}  // namespace

const condition_rules& rules_of(condition_kind kind) noexcept {
  return table[static_cast<std::size_t>(kind)];
}

std::string_view label(condition_kind kind) noexcept {
  return rules_of(kind).label;
}

std::string_view severity_label(condition_kind kind) noexcept {
  return severity_labels[rules_of(kind).begins.severity];
}

void log_condition(const condition& of, condition_phase phase) {
  const condition_rules& rules = rules_of(of.kind);
  const condition_line& line = phase == condition_phase::ends ? rules.ends : rules.begins;
  const auto say = [&](log::attributes with) {
    log::write(line.severity, line.component, line.id, line.message, with);
  };
  const auto count = static_cast<std::int64_t>(of.count);
  if (phase == condition_phase::begins) {
    return say({{"subject", of.subject}, {"listener", listener_of(of)}, {"detail", of.detail}});
  }
  if (phase == condition_phase::goes_on) {
    return say({{"subject", of.subject},
                {"listener", listener_of(of)},
                {"detail", of.detail},
                {"since", text::time_text(of.since)},
                {"count", count}});
  }
  const std::chrono::duration<double> lasted = of.last - of.since;
  say({{"subject", of.subject},
       {"listener", listener_of(of)},
       {"was", of.detail},
       {"lastedSeconds", lasted.count()},
       {"count", count}});
}

}  // namespace scattergate::telemetry
