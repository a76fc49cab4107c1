#include "telemetry/metrics/metric_list.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

namespace scattergate::telemetry {
namespace {

using config::catalog_facts;
using enum metric_type;

constexpr auto table = std::to_array<metric_row>({
    {"scattergate_commands_total", counter,
     "Commands by routing class, rejected ones included; a batch counts once.",
     metric::commands},
    {"scattergate_statements_total", counter,
     "Statements of batch commands, each in its own routing class.", metric::statements},
    {"scattergate_findings_total", counter,
     "Findings: commands that a rule flags, and commands without a matching rule that "
     "scatter-gather on a sharded collection, have a lint, are refused, or can't be read.",
     metric::findings},
    {"scattergate_rule_hits_total", counter,
     "Commands decided by a rule of the configuration or the catalog, by action.",
     metric::rule_hits},
    {"scattergate_new_shapes_total", counter,
     "Query shapes that became a finding for the first time since the start, or again after "
     "they were evicted.",
     metric::new_shapes},
    {"scattergate_fanout_shards", histogram,
     "How many shards scattergate expects a forwarded command to reach, if the chunks are "
     "known.",
     metric::fanout_shards},
    {"scattergate_command_duration_seconds", histogram,
     "Time from the last byte of a command to the first byte of its reply, in seconds.",
     metric::command_duration},
    {"scattergate_command_errors_total", counter, "Error replies of mongos, by error code.",
     metric::command_errors},
    {"scattergate_inspect_seconds", histogram,
     "scattergate's own time to judge one command, in seconds.", metric::inspect},
    {"scattergate_wire_errors_total", counter,
     "Client connections closed because the client or mongos violated MongoDB's wire protocol, "
     "by reason.",
     metric::wire_errors},
    {"scattergate_uninspected_messages_total", counter,
     "Messages that scattergate can't read, by reason. They are forwarded unchanged, or "
     "rejected if a rule that rejects or throttles could match them.",
     metric::uninspected_messages},
    {"scattergate_series_overflow_total", counter,
     "Commands counted under __other__ because metrics.max_namespaces is reached.",
     metric::series_overflow},
    {"scattergate_series_given_back_total", counter,
     "Pairs of db and collection evicted after limits.quiet without counts; their series have "
     "ended.",
     metric::series_given_back},
    {"scattergate_connections", gauge, "Client connections open now.",
     &worker_counters::connections_open},
    {"scattergate_connections_accepted_total", counter, "Client connections accepted.",
     &worker_counters::connections_accepted},
    {"scattergate_worker_connections", gauge, "Client connections open now, by worker.",
     metric::worker_connections},
    {"scattergate_connections_handed_over_total", counter,
     "Client connections that one worker accepted and passed to another with fewer.",
     &worker_counters::connections_handed_over},
    {"scattergate_accept_failures_total", counter,
     "How often accepting clients paused because file descriptors or memory ran out.",
     &worker_counters::accept_failures},
    {"scattergate_connections_closed_total", counter, "Client connections closed, by reason.",
     metric::connections_closed},
    {"scattergate_upstream_connections", gauge, "Connections to mongos open now.",
     &worker_counters::upstream_connections_open},
    {"scattergate_upstream_connect_failures_total", counter,
     "Client connections closed because scattergate got no connection to mongos for them.",
     &worker_counters::upstream_connect_failures},
    {"scattergate_upstream_active", gauge,
     "1 for the mongos in use behind a listener, 0 for the others.", metric::upstream_active},
    {"scattergate_upstream_up", gauge,
     "1 if a mongos answered its last health check, otherwise 0.", metric::upstream_up},
    {"scattergate_upstream_address_up", gauge,
     "1 if an address of a mongos answered its last health check, otherwise 0.",
     metric::upstream_address_up},
    {"scattergate_upstream_address_connections", gauge,
     "Client connections that use an address of a mongos.",
     metric::upstream_address_connections},
    {"scattergate_upstream_addresses_left_out", gauge,
     "Addresses of a mongos's name that aren't used, because the name has too many.",
     metric::upstream_addresses_left_out},
    {"scattergate_upstream_failures_total", counter,
     "Failed attempts to reach a mongos, for clients and for health checks.",
     metric::upstream_failures},
    {"scattergate_upstream_failovers_total", counter,
     "How often a listener switched to another mongos.", metric::upstream_failovers},
    {"scattergate_upstream_health_checks_total", counter, "Health checks of mongos, by result.",
     metric::upstream_health_checks},
    {"scattergate_clients_waiting", gauge,
     "Clients that have waited for a reply for at least one second.", metric::clients_waiting},
    {"scattergate_longest_wait_seconds", gauge,
     "Longest current wait of a client for a reply, in seconds; 0: no client waits.",
     metric::longest_wait},
    {"scattergate_upstream_replica_set_hellos_total", counter,
     "Handshakes in which the upstream identified itself as a replica set member, not a "
     "mongos; drivers would bypass the proxy.",
     &daemon_facts::replica_set_hellos},
    {"scattergate_request_bytes_total", counter, "Bytes received from clients.",
     &worker_counters::request_bytes},
    {"scattergate_reply_bytes_total", counter, "Bytes received from mongos.",
     &worker_counters::reply_bytes},
    {"scattergate_checksums_verified_total", counter, "Requests whose CRC-32C was checked.",
     &worker_counters::checksums_verified},
    {"scattergate_checksum_failures_total", counter,
     "Requests whose CRC-32C was wrong; they are forwarded.",
     &worker_counters::checksum_failures},
    {"scattergate_scratch_exhausted_total", counter,
     "Commands whose verdict may name too many shards, because judging them reached its "
     "memory or work limit.",
     &worker_counters::scratch_exhausted},
    {"scattergate_judging_abandoned_total",
     counter,
     "Verdicts and shapes abandoned because they took more work than the message's size "
     "allows.",
     {"reason",
      {{"verdict", &worker_counters::verdicts_abandoned},
       {"shape", &worker_counters::shapes_abandoned}}}},
    {"scattergate_outdated_verdicts_total", counter,
     "Commands that count as unknown because a command had changed their collection, and the "
     "live catalog was not read again yet.",
     &worker_counters::verdicts_outdated},
    {"scattergate_unmatched_replies_total", counter,
     "Replies of mongos that match no pending request; they are forwarded.",
     &worker_counters::replies_unmatched},
    {"scattergate_rejected_without_reply_total", counter,
     "Rejected commands that asked for no reply (w: 0) and were dropped.",
     &worker_counters::rejected_without_reply},
    {"scattergate_throttle_waiting", gauge, "Commands waiting in throttle queues now.",
     &worker_counters::throttle_waiting},
    {"scattergate_x509_refusals_total",
     counter,
     "Requests refused because they use, or may use, MONGODB-X509 authentication, which can't "
     "work through a proxy that terminates TLS.",
     {"action",
      {{"rejected", &worker_counters::x509_rejected},
       {"closed", &worker_counters::x509_closed}}}},
    {"scattergate_cursors", gauge, "Open cursors whose opening command is remembered.",
     &daemon_facts::cursors_tracked},
    {"scattergate_cursors_evicted_total", counter,
     "Cursors evicted from the full table; their getMores count as unknown.",
     &daemon_facts::cursors_evicted},
    {"scattergate_tap_listeners", gauge, "Clients that now read /api/v1/tap.",
     &daemon_facts::tap_listeners},
    {"scattergate_tap_dropped_total", counter,
     "Commands that /api/v1/tap showed to no client, because there were too many.",
     &daemon_facts::tap_dropped},
    {"scattergate_catalog_collections", gauge, "Collections in the catalog.",
     &daemon_facts::catalog_collections},
    {"scattergate_catalog_chunks", gauge, "Chunks in the catalog.",
     &daemon_facts::catalog_chunks},
    {"scattergate_catalog_loaded_timestamp_seconds", gauge,
     "When the catalog in use was loaded, in Unix seconds; 0: never.",
     &daemon_facts::catalog_loaded_at},
    {"scattergate_catalog_load_failures_total", counter,
     "Catalog loads that failed; the old catalog stayed in use.",
     &daemon_facts::catalog_load_failures},
    {"scattergate_catalog_state", gauge,
     "1 for the catalog's current state, 0 for the other states.", metric::catalog_state},
    {"scattergate_catalog_last_success_timestamp_seconds", gauge,
     "When the live catalog was last read successfully, in Unix seconds; 0: never.",
     &catalog_facts::succeeded_at},
    {"scattergate_catalog_refresh_interval_seconds",
     gauge,
     "Interval between reads of the live catalog, in seconds.",
     {&catalog_facts::refresh_ms, 1e3}},
    {"scattergate_catalog_loads_total", counter, "Loads of the live catalog, by result.",
     metric::catalog_loads},
    {"scattergate_catalog_load_duration_seconds",
     gauge,
     "How long the last load of the live catalog took, in seconds.",
     {&catalog_facts::load_ns, 1e9}},
    {"scattergate_catalog_refresh_triggers_total", counter,
     "Loads of the live catalog, by trigger.", metric::catalog_refresh_triggers},
    {"scattergate_catalog_config_reads_total", counter,
     "Queries and commands sent to mongos to load the catalog.", &catalog_facts::reads},
    {"scattergate_catalog_key_only_collections", gauge,
     "Sharded collections whose chunks aren't known, by reason.", metric::catalog_key_only},
    {"scattergate_catalog_skipped_records",
     gauge,
     "Records of the cluster's config database that the last load of the catalog couldn't "
     "read.",
     {"kind",
      {{"collections", &catalog_facts::skipped_collections},
       {"chunks", &catalog_facts::skipped_chunks}}}},
    {"scattergate_catalog_shards", gauge, "Shards of the live catalog's cluster.",
     &catalog_facts::shards},
    {"scattergate_catalog_databases", gauge, "Databases of the live catalog's cluster.",
     &catalog_facts::databases},
    {"scattergate_driver_restarts_total", counter,
     "Processes that run the MongoDB driver and failed, by cause; each is started again.",
     metric::driver_restarts},
    {"scattergate_certificate_expiry_timestamp_seconds", gauge,
     "When a certificate that scattergate presents expires, in Unix seconds, by listener and "
     "by whom it is presented to: clients, mongos, or admin (at the admin address).",
     metric::certificate_expiry},
    {"scattergate_condition_active", gauge,
     "1 if scattergate has an active condition (a lasting problem) of this kind, otherwise 0.",
     metric::condition_active},
    {"scattergate_config_reloads_total", counter,
     "Reloads of the configuration, failed ones included.", &daemon_facts::config_reloads},
    {"scattergate_config_reload_failures_total", counter,
     "Reloads that failed; the old configuration stayed in use.",
     &daemon_facts::config_reload_failures},
    {"scattergate_config_last_reload_successful", gauge,
     "0 if the last reload failed, otherwise 1.", &daemon_facts::config_last_reload_successful},
    {"scattergate_config_last_load_timestamp_seconds", gauge,
     "When the configuration in use was loaded, in Unix seconds.",
     &daemon_facts::config_loaded_at},
    {"scattergate_audit_lines_total", counter, "Lines written to the audit log.",
     &audit_totals::lines},
    {"scattergate_audit_bytes_total", counter, "Bytes written to the audit log.",
     &audit_totals::bytes},
    {"scattergate_audit_write_failures_total", counter,
     "Writes to the audit log that failed or were incomplete.", &audit_totals::write_failures},
    {"scattergate_audit_findings_total", counter,
     "Findings covered by the written audit lines.", &audit_totals::commands},
    {"scattergate_audit_overflow_total", counter,
     "Findings counted in the audit log's __other__ line.", &audit_totals::overflow},
    {"scattergate_log_lines_lost_total", counter,
     "Lines of the operational log that could not be written.", &daemon_facts::log_lines_lost},
    {"scattergate_state_write_failures_total", counter,
     "Writes of the state file that failed; the previous file stays.",
     &daemon_facts::state_write_failures},
    {"scattergate_fleet_flushes_total", counter,
     "Writes of counts that the fleet's database has acknowledged.",
     &daemon_facts::fleet_flushes},
    {"scattergate_fleet_failures_total", counter,
     "Attempts to write to the fleet's database that failed, or that another daemon with the "
     "same fleet.name prevented; they are repeated.",
     &daemon_facts::fleet_failures},
    {"scattergate_fleet_last_flush_timestamp_seconds", gauge,
     "When the fleet's database last acknowledged this daemon's counts, or that there were "
     "none, in Unix seconds; 0: never.",
     &daemon_facts::fleet_flushed_at},
    {"scattergate_fleet_flush_interval_seconds",
     gauge,
     "Interval between writes to the fleet's database, in seconds; 0: there is no fleet.",
     {&daemon_facts::fleet_interval_ms, 1e3}},
    {"scattergate_fleet_waiting_commands", gauge,
     "Commands counted in the state file, but not yet in the fleet's database.",
     &daemon_facts::fleet_waiting},
    {"scattergate_fleet_dropped_commands_total", counter,
     "Commands whose counts will never reach the fleet's database: older than fleet.retain, or "
     "from a copied or restored state file.",
     &daemon_facts::fleet_dropped},
    {"scattergate_audit_outstanding_findings", gauge,
     "Findings not yet written to the audit log.", &audit_totals::outstanding},
    {"scattergate_audit_given_back_total", counter,
     "Findings evicted after limits.quiet without commands; their audit lines were written.",
     &audit_totals::evicted},
    {"scattergate_verify_agreed_total", counter,
     "Self-checks in which mongos's plan agreed with the verdict.", &check_facts::agreed},
    {"scattergate_verify_disagreed_total", counter,
     "Self-checks in which mongos's plan disagreed with the verdict.", &check_facts::disagreed},
    {"scattergate_verify_failed_total", counter,
     "Self-checks that failed: mongos didn't explain the command.", &check_facts::failed},
    {"scattergate_verify_skipped_total",
     counter,
     "Find commands selected for a self-check but skipped, by reason.",
     {"reason",
      {{"too_large", &check_facts::too_large},
       {"busy", &check_facts::busy},
       {"incomparable", &check_facts::incomparable}}}},
    {"scattergate_workers", gauge, "Worker threads that serve clients.",
     &daemon_facts::workers},
    {"scattergate_worker_engine_info", gauge,
     "Always 1; the labels say whether workers use epoll or io_uring, and why.",
     metric::worker_engine},
    {"scattergate_build_info", gauge, "Always 1; the labels describe the build.",
     metric::build_info},
    {"process_cpu_seconds_total", counter, "User and system CPU time spent in seconds.",
     &process_stats::cpu_seconds},
    {"process_resident_memory_bytes", gauge, "Resident memory size in bytes.",
     &process_stats::resident_bytes},
    {"process_virtual_memory_bytes", gauge, "Virtual memory size in bytes.",
     &process_stats::virtual_bytes},
    {"process_open_fds", gauge, "Number of open file descriptors.", &process_stats::open_fds},
    {"process_max_fds", gauge, "Maximum number of open file descriptors.",
     &process_stats::max_fds},
    {"scattergate_cold_start_timestamp_seconds", gauge,
     "When the process started, in Unix seconds; no series if it took over in a handover.",
     metric::cold_start},
    {"process_start_time_seconds", gauge,
     "Start time of the process since Unix epoch in seconds.",
     &process_stats::start_time_seconds},
});

/// Whether the rows name all numbers of a struct. `others`: how many numbers have no row of
/// their own, because code builds their series.
template <typename Owner>
consteval bool names_all_of(std::size_t others = 0) {
  constexpr auto is_owners = []<typename Number, typename Of>(Number Of::*) {
    return std::is_same_v<Of, Owner>;
  };
  std::size_t named = 0;
  for (const metric_row& row : table) {
    for (const counted_series& each : row.source.series()) {
      named += std::visit(is_owners, each.at) ? 1 : 0;
    }
  }
  return (named + others) * sizeof(std::uint64_t) == sizeof(Owner);
}

consteval bool names_nothing_twice() {
  for (const metric_row& row : table) {
    for (const counted_series& each : row.source.series()) {
      std::ptrdiff_t times = 0;
      for (const metric_row& other : table) {
        times += std::ranges::count(other.source.series(), each.at, &counted_series::at);
      }
      if (times != 1) return false;
    }
  }
  return true;
}

static_assert(names_nothing_twice());
static_assert(names_all_of<worker_counters>());
static_assert(names_all_of<daemon_facts>(1 /* fleet_fresh_at */ +
                                         (sizeof(daemon_facts::catalog) +
                                          sizeof(daemon_facts::driver_restarts)) /
                                             sizeof(std::uint64_t)));
static_assert(names_all_of<audit_totals>());
static_assert(names_all_of<check_facts>());
static_assert(names_all_of<process_stats>());
static_assert(names_all_of<catalog_facts>(2 /* state, is_live, is_stale; fresh_at */ +
                                          config::load_result_count +
                                          config::load_trigger_count +
                                          config::key_only_reason_count));

consteval auto rows_by_id() {
  std::array<std::size_t, wire::enum_count<metric>()> rows{};
  for (std::size_t id = 0; id < rows.size(); ++id) {
    const auto is_its = [id](const metric_row& row) {
      return row.source.by_code() == static_cast<metric>(id);
    };
    if (std::ranges::count_if(table, is_its) != 1) throw "a family has one row";
    rows[id] = static_cast<std::size_t>(std::ranges::find_if(table, is_its) - table.begin());
  }
  return rows;
}

}  // namespace

std::span<const metric_row> metric_list() noexcept {
  return table;
}

constinit const std::array<std::size_t, wire::enum_count<metric>()> coded_rows = rows_by_id();

}  // namespace scattergate::telemetry
