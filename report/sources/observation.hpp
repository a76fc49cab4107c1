#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/table.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "wire/label_table.hpp"

namespace scattergate::report {

/// MongoDB's name of an error code, such as "Unauthorized". If telemetry::error_name() has no
/// name for the code: "Location" and the code, such as "Location40324".
[[nodiscard]] inline std::string name_of_error(std::int64_t code) {
  using most = std::numeric_limits<std::int32_t>;
  const std::size_t place = code < 0 || code > most::max()
                                ? 0
                                : telemetry::error_place(static_cast<std::int32_t>(code));
  return place == 0 ? "Location" + std::to_string(code)
                    : std::string{telemetry::error_name(place)};
}

/// The host of a sender's address in MongoDB's notation: "10.0.0.1" for "10.0.0.1:27017",
/// "::1" for "[::1]:27017". Omits the port, because each connection has a different one.
[[nodiscard]] constexpr std::string_view host_of(std::string_view address) noexcept {
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const std::size_t port = address.find(':');
  const bool is_bare_ip6 = port != address.npos && address.find(':', port + 1) != address.npos;
  return is_bare_ip6 ? address : address.substr(0, port);
}

/// The kind of a source (a file of commands or of results), detected by its content or named
/// by `--as KIND`.
enum class source_kind : std::uint8_t {
  unknown,
  audit,  ///< scattergate's audit log
  mongos_log,
  mongod_log,
  profile,      ///< documents of system.profile or of $currentOp
  query_stats,  ///< entries of $queryStats
  commands,     ///< one command per document
  pcap,         ///< captured network packets
  recording,    ///< a traffic recording of mongos or mongod
  state,        ///< a daemon's state file: a stored digest (the table of shapes)
  report,       ///< a report saved as JSON
};
/// The name of the kind in reports.
[[nodiscard]] std::string_view label(source_kind kind) noexcept;
/// The kind that `--as` names; std::nullopt for unknown names.
[[nodiscard]] std::optional<source_kind> kind_named(std::string_view name) noexcept;

/// Why a part of a source was skipped. Reports show the count of each reason with each source.
enum class skip_reason : std::uint8_t {
  not_a_command,        ///< a log line without a command
  unreadable,           ///< invalid JSON, or JSON without a command
  too_long,             ///< longer than any line that MongoDB writes
  truncated,            ///< the log truncated the command: its filter is incomplete
  redacted,             ///< the log hides the values
  sensitive,            ///< contains credentials
  internal,             ///< sent by the cluster itself, not by an application
  lost,                 ///< messages in a gap of a captured connection
  tls,                  ///< a TLS connection
  logged_by_statement,  ///< a mongod's batch whose statements have their own lines
  not_rebuilt,          ///< a shape (command without values) of $queryStats from which no
                        ///< command can be made
  not_chosen,           ///< excluded by --since, --until or --namespace
  without_time,         ///< has no time, but --since or --until is given
  not_judged,           ///< a command, but there is no catalog to judge by
};
/// The number of reasons.
inline constexpr std::size_t skip_reason_count = wire::enum_count<skip_reason>();
/// The reason as reports show it.
[[nodiscard]] std::string_view label(skip_reason why) noexcept;

/// One command of a source with all known facts, or several commands that the source counts
/// together.
struct observation {
  std::vector<std::byte> command;  ///< BSON, with `$db`
  std::vector<std::byte> origin;   ///< of a getMore: the command that opened its cursor; empty:
                                   ///< unknown
  std::optional<std::uint32_t> shards;  ///< number of shards that mongos asked (its nShards)
  std::uint64_t count = 1;              ///< number of commands
  bool is_made_up = false;              ///< the values are made up: only the shape is known
  std::optional<std::chrono::nanoseconds> duration;  ///< total of all commands
  std::chrono::nanoseconds longest{0};     ///< the longest duration; set if count isn't 1
  std::chrono::nanoseconds resolution{0};  ///< of the durations, for example 1 ms; 0: exact
  std::optional<digest::wall_time> at;     ///< time of the last command; std::nullopt: unknown
  std::optional<digest::wall_time> first;  ///< time of the first command; set if count isn't 1
  bool is_error = false;                   ///< whether the command failed
  std::string error_name;                  ///< MongoDB's name of the error; empty: unknown
  /// Whether this is a request that a router sent to a shard for a command, as the shard
  /// logged it. A shard's log doesn't say how many shards the command asked.
  bool is_shard_request = false;
  digest::caller who;                          ///< the sender, as far as known
  std::string query_shape_hash;                ///< MongoDB's queryShapeHash; empty: unknown
  std::optional<std::uint64_t> docs_examined;  ///< total of all commands
  std::optional<std::uint64_t> reply_bytes;    ///< total size of all replies, in bytes
  std::string plan;                            ///< MongoDB's planSummary; empty: unknown
};

/// Receives the commands and results of a source, in order.
class observer {
 public:
  /// Takes one command.
  virtual void on_command(const observation& seen) = 0;
  /// Takes one command, and may move from `seen`. By default, calls on_command().
  virtual void on_given(observation&& seen) { on_command(seen); }
  /// Takes a row (the counts of one shape of commands), which scattergate has judged already.
  virtual void on_row(const digest::row& judged) = 0;
  /// Takes a complete digest (a table of rows) that scattergate has made: from a state file or
  /// a saved report.
  virtual void on_digest(const digest::table& judged) = 0;
  /// Takes a digest of shard requests (requests of routers to shards), which aren't commands.
  /// By default, does nothing.
  virtual void on_request_digest(const digest::table& /*judged*/) {}
  /// Counts a part of the source that was skipped.
  virtual void on_skipped(skip_reason why) = 0;

 protected:
  ~observer() = default;
};

}  // namespace scattergate::report
