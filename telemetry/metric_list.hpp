#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// The one list of what /metrics shows: the registration, the HELP lines and docs/metrics.md
/// (a test compares it) all follow it.
namespace scattergate::telemetry {

enum class metric_type : std::uint8_t { counter, gauge, histogram };

/// The families, in the order in which they are exposed.
enum class metric : std::uint8_t {
  commands,
  statements,
  findings,
  new_shapes,
  fanout_shards,
  command_duration,
  inspect,
  wire_errors,
  uninspected_messages,
  series_overflow,
  connections,
  connections_accepted,
  accept_failures,
  connections_closed,
  upstream_connections,
  upstream_connect_failures,
  upstream_replica_set_hellos,
  request_bytes,
  reply_bytes,
  checksums_verified,
  checksum_failures,
  scratch_exhausted,
  unmatched_replies,
  rejected_without_reply,
  cursors,
  cursors_evicted,
  catalog_collections,
  catalog_chunks,
  catalog_loaded,
  catalog_load_failures,
  config_reloads,
  config_reload_failures,
  config_last_load,
  audit_lines,
  audit_bytes,
  audit_write_failures,
  audit_findings,
  audit_overflow,
  audit_outstanding,
  workers,
  build_info,
  process_cpu,
  process_resident_memory,
  process_virtual_memory,
  process_open_fds,
  process_max_fds,
  process_start_time,
};

struct metric_desc {
  metric id;
  std::string_view name;
  metric_type type;
  std::string_view help;
};

inline constexpr std::array metric_list = {
    metric_desc{metric::commands, "scattergate_commands_total", metric_type::counter,
                "Commands by how mongos routes them; rejected ones included."},
    metric_desc{metric::statements, "scattergate_statements_total", metric_type::counter,
                "Statements of batches by how mongos routes them."},
    metric_desc{metric::findings, "scattergate_findings_total", metric_type::counter,
                "Commands that a rule flagged, by why and by what was done."},
    metric_desc{metric::new_shapes, "scattergate_new_shapes_total", metric_type::counter,
                "Query shapes that became a finding for the first time."},
    metric_desc{metric::fanout_shards, "scattergate_fanout_shards", metric_type::histogram,
                "Shards that a command reaches, where the chunks are known."},
    metric_desc{metric::command_duration, "scattergate_command_duration_seconds",
                metric_type::histogram, "From a command's last byte to its reply's first."},
    metric_desc{metric::inspect, "scattergate_inspect_seconds", metric_type::histogram,
                "Time spent on judging one command."},
    metric_desc{metric::wire_errors, "scattergate_wire_errors_total", metric_type::counter,
                "Connections ended by broken framing."},
    metric_desc{metric::uninspected_messages, "scattergate_uninspected_messages_total",
                metric_type::counter,
                "Messages forwarded as they came because they can't be read."},
    metric_desc{metric::series_overflow, "scattergate_series_overflow_total",
                metric_type::counter, "Commands counted under __other__ for want of room."},
    metric_desc{metric::connections, "scattergate_connections", metric_type::gauge,
                "Client connections open now."},
    metric_desc{metric::connections_accepted, "scattergate_connections_accepted_total",
                metric_type::counter, "Client connections accepted."},
    metric_desc{metric::accept_failures, "scattergate_accept_failures_total",
                metric_type::counter,
                "Times that accepting rested for want of file descriptors or memory."},
    metric_desc{metric::connections_closed, "scattergate_connections_closed_total",
                metric_type::counter, "Client connections ended, by why."},
    metric_desc{metric::upstream_connections, "scattergate_upstream_connections",
                metric_type::gauge, "Connections to mongos open now."},
    metric_desc{metric::upstream_connect_failures,
                "scattergate_upstream_connect_failures_total", metric_type::counter,
                "Attempts to connect to mongos that failed."},
    metric_desc{metric::upstream_replica_set_hellos,
                "scattergate_upstream_replica_set_hellos_total", metric_type::counter,
                "Handshakes in which the upstream said it is a replica set, not a mongos."},
    metric_desc{metric::request_bytes, "scattergate_request_bytes_total", metric_type::counter,
                "Bytes received from clients."},
    metric_desc{metric::reply_bytes, "scattergate_reply_bytes_total", metric_type::counter,
                "Bytes received from mongos."},
    metric_desc{metric::checksums_verified, "scattergate_checksums_verified_total",
                metric_type::counter, "Requests whose CRC-32C was checked."},
    metric_desc{metric::checksum_failures, "scattergate_checksum_failures_total",
                metric_type::counter, "Requests whose CRC-32C was wrong."},
    metric_desc{metric::scratch_exhausted, "scattergate_scratch_exhausted_total",
                metric_type::counter, "Commands judged wider because a memory budget ran out."},
    metric_desc{metric::unmatched_replies, "scattergate_unmatched_replies_total",
                metric_type::counter, "Replies that answer no request under way."},
    metric_desc{metric::rejected_without_reply, "scattergate_rejected_without_reply_total",
                metric_type::counter,
                "Rejected commands that asked for no reply and were dropped."},
    metric_desc{metric::cursors, "scattergate_cursors", metric_type::gauge,
                "Open cursors whose opening command is remembered."},
    metric_desc{metric::cursors_evicted, "scattergate_cursors_evicted_total",
                metric_type::counter, "Cursors forgotten for want of room."},
    metric_desc{metric::catalog_collections, "scattergate_catalog_collections",
                metric_type::gauge, "Collections in the catalog."},
    metric_desc{metric::catalog_chunks, "scattergate_catalog_chunks", metric_type::gauge,
                "Chunks in the catalog."},
    metric_desc{metric::catalog_loaded, "scattergate_catalog_loaded_timestamp_seconds",
                metric_type::gauge, "When the catalog in use was loaded; 0: never."},
    metric_desc{metric::catalog_load_failures, "scattergate_catalog_load_failures_total",
                metric_type::counter, "Catalog loads that failed and left the old one in use."},
    metric_desc{metric::config_reloads, "scattergate_config_reloads_total",
                metric_type::counter, "Reloads of the configuration that were asked for."},
    metric_desc{metric::config_reload_failures, "scattergate_config_reload_failures_total",
                metric_type::counter,
                "Reloads that failed and left the old configuration in use."},
    metric_desc{metric::config_last_load, "scattergate_config_last_load_timestamp_seconds",
                metric_type::gauge, "When the configuration in use was loaded."},
    metric_desc{metric::audit_lines, "scattergate_audit_lines_total", metric_type::counter,
                "Lines written to the audit log."},
    metric_desc{metric::audit_bytes, "scattergate_audit_bytes_total", metric_type::counter,
                "Bytes written to the audit log."},
    metric_desc{metric::audit_write_failures, "scattergate_audit_write_failures_total",
                metric_type::counter, "Writes to the audit log that failed or fell short."},
    metric_desc{metric::audit_findings, "scattergate_audit_findings_total",
                metric_type::counter, "Findings that the written audit lines stand for."},
    metric_desc{metric::audit_overflow, "scattergate_audit_overflow_total",
                metric_type::counter, "Findings folded into the audit log's __other__ line."},
    metric_desc{metric::audit_outstanding, "scattergate_audit_outstanding_findings",
                metric_type::gauge, "Findings handed to the audit log and not written yet."},
    metric_desc{metric::workers, "scattergate_workers", metric_type::gauge,
                "Worker threads running."},
    metric_desc{metric::build_info, "scattergate_build_info", metric_type::gauge,
                "Always 1; the labels say what was built, and with what."},
    metric_desc{metric::process_cpu, "process_cpu_seconds_total", metric_type::counter,
                "User and system CPU time spent in seconds."},
    metric_desc{metric::process_resident_memory, "process_resident_memory_bytes",
                metric_type::gauge, "Resident memory size in bytes."},
    metric_desc{metric::process_virtual_memory, "process_virtual_memory_bytes",
                metric_type::gauge, "Virtual memory size in bytes."},
    metric_desc{metric::process_open_fds, "process_open_fds", metric_type::gauge,
                "Number of open file descriptors."},
    metric_desc{metric::process_max_fds, "process_max_fds", metric_type::gauge,
                "Maximum number of open file descriptors."},
    metric_desc{metric::process_start_time, "process_start_time_seconds", metric_type::gauge,
                "Start time of the process since Unix epoch in seconds."},
};

/// Whether every family stands at the place that its id says.
[[nodiscard]] consteval bool is_in_order() {
  for (std::size_t i = 0; i < metric_list.size(); ++i) {
    if (static_cast<std::size_t>(metric_list[i].id) != i) return false;
  }
  return metric_list.size() == static_cast<std::size_t>(metric::process_start_time) + 1;
}
static_assert(is_in_order());

}  // namespace scattergate::telemetry
