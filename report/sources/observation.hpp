#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/table.hpp"
#include "wire/enum_count.hpp"

namespace scattergate::report {

/// The kind of a source, detected by its content or named by `--as KIND`.
enum class source_kind : std::uint8_t {
  unknown,
  audit,
  mongos_log,
  mongod_log,
  profile,  ///< also $currentOp
  query_stats,
  commands,
  pcap,
  recording,
  state,
  report,  ///< a report saved as JSON
};
[[nodiscard]] std::string_view label(source_kind kind) noexcept;
[[nodiscard]] std::optional<source_kind> kind_named(std::string_view name) noexcept;

/// Why something in a source was skipped: a fixed list, shown with each source.
enum class skip_reason : std::uint8_t {
  not_a_command,      ///< a log line about something else
  unreadable,         ///< no JSON, or no command in it
  too_long,           ///< longer than any line that MongoDB writes
  truncated,          ///< the log truncated the command: its filter is incomplete
  redacted,           ///< the log hides the values
  sensitive,          ///< contains credentials
  internal,           ///< sent by the cluster itself, not by an application
  lost,               ///< a gap in a connection's bytes, with the message around it
  tls,                ///< a TLS connection
  told_by_statement,  ///< a mongod's batch whose statements have their own lines
  not_rebuilt,        ///< a shape of $queryStats from which no command can be made
  not_chosen,         ///< excluded by --since, --until or --namespace
  without_time,       ///< has no time, but --since or --until is given
  not_judged,         ///< a command, but no catalog to judge it by
};
inline constexpr std::size_t skip_reason_count = wire::enum_count<skip_reason>();
[[nodiscard]] std::string_view label(skip_reason why) noexcept;

/// One command of a source, or several that the source counts together, and what is known
/// about it.
struct observation {
  std::vector<std::byte> command;  ///< BSON, with `$db`
  std::vector<std::byte> origin;   ///< of a getMore: the command that opened its cursor; empty:
                                   ///< unknown
  std::optional<std::uint32_t> shards;  ///< the real number: mongos's nShards
  std::uint64_t count = 1;
  bool is_made_up = false;  ///< the values are made up: only the shape is known
  std::optional<std::chrono::nanoseconds> duration;  ///< total of all commands
  std::chrono::nanoseconds longest{0};               ///< set if count isn't 1
  std::chrono::nanoseconds resolution{0};            ///< of the durations
  std::optional<digest::wall_time> at;
  std::optional<digest::wall_time> first;  ///< set if count isn't 1; `at` is then the last one
  bool is_error = false;
  std::string error_name;  ///< MongoDB's name of the error; empty: unknown
  /// A request that a router sent to a shard for a command, as the shard logged it; its log
  /// line doesn't say how many shards the command asked.
  bool is_shard_request = false;
  digest::caller who;
  std::string query_shape_hash;
  std::optional<std::uint64_t> docs_examined;
  std::optional<std::uint64_t> reply_bytes;
  std::string plan;  ///< planSummary
};

/// Receives everything that a source contains.
class observer {
 public:
  virtual void on_command(const observation& seen) = 0;
  /// Same as on_command(), but may move from `seen`.
  virtual void on_given(observation&& seen) { on_command(seen); }
  /// Takes a row that scattergate has judged already.
  virtual void on_row(const digest::row& judged) = 0;
  /// Takes a whole digest of scattergate.
  virtual void on_digest(const digest::table& judged) = 0;
  /// Takes a digest of shard requests, which aren't commands.
  virtual void on_request_digest(const digest::table& /*judged*/) {}
  /// Counts something that was skipped.
  virtual void on_skipped(skip_reason why) = 0;

 protected:
  ~observer() = default;
};

}  // namespace scattergate::report
