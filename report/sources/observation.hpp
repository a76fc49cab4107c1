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

/// What kind of source it is, told by its content (contract: `--as KIND`).
enum class source_kind : std::uint8_t {
  unknown,
  audit,
  mongos_log,
  mongod_log,
  profile,  ///< of $currentOp too
  query_stats,
  commands,
  pcap,
  recording,
  state,
  report,  ///< a report that was saved as JSON
};
[[nodiscard]] std::string_view label(source_kind kind) noexcept;
[[nodiscard]] std::optional<source_kind> kind_named(std::string_view name) noexcept;

/// Why something in a source was left out (a closed list: what stands beside each source).
enum class skip_reason : std::uint8_t {
  not_a_command,      ///< a line of the log that tells of something else
  unreadable,         ///< no JSON, or no command in it
  too_long,           ///< a line that is longer than any that MongoDB writes
  truncated,          ///< the log has cut the command: its filter isn't whole
  redacted,           ///< the log hides the values
  sensitive,          ///< holds credentials
  internal,           ///< of the cluster's own, not of an application
  lost,               ///< a gap in a connection's bytes, and the message around it
  tls,                ///< a connection under TLS
  told_by_statement,  ///< a mongod's batch, whose statements have lines of their own
  not_rebuilt,        ///< a shape of $queryStats of which no command can be made
  not_chosen,         ///< not what --since, --until and --namespace ask for
  without_time,       ///< where they ask for a time
  not_judged,         ///< commands, and there is no catalog to judge them by
};
inline constexpr std::size_t skip_reason_count = wire::enum_count<skip_reason>();
[[nodiscard]] std::string_view label(skip_reason why) noexcept;

/// A command that a source tells of, or several that it counts as one, and what is known of it.
struct observation {
  std::vector<std::byte> command;  ///< BSON, with `$db`
  std::vector<std::byte> origin;   ///< of a getMore: what opened its cursor; empty: not known
  std::optional<std::uint32_t> shards;  ///< the truth: mongos's nShards
  std::uint64_t count = 1;
  bool is_made_up = false;  ///< the values in it are: a shape is all that is known
  std::optional<std::chrono::nanoseconds> duration;  ///< of all of them together
  std::chrono::nanoseconds longest{0};               ///< where count isn't 1
  std::chrono::nanoseconds resolution{0};            ///< of the durations
  std::optional<digest::wall_time> at;
  std::optional<digest::wall_time> first;  ///< where count isn't 1: `at` is the last
  bool is_error = false;
  std::string error_name;  ///< MongoDB's; empty: not known
  /// One of the requests that a router made of a command, as a shard's log has it: how many
  /// shards the command asked isn't known from it.
  bool is_shard_request = false;
  digest::caller who;
  std::string query_shape_hash;
  std::optional<std::uint64_t> docs_examined;
  std::optional<std::uint64_t> reply_bytes;
  std::string plan;  ///< planSummary
};

/// Who takes what a source tells.
class observer {
 public:
  virtual void on_command(const observation& seen) = 0;
  /// The same of one that nobody else needs any more.
  virtual void on_given(observation&& seen) { on_command(seen); }
  /// Judged already, by a proxy.
  virtual void on_row(const digest::row& judged) = 0;
  /// A whole digest of a proxy's.
  virtual void on_digest(const digest::table& judged) = 0;
  /// The same of requests that shards have logged, which are no commands.
  virtual void on_request_digest(const digest::table& /*judged*/) {}
  virtual void on_skipped(skip_reason why) = 0;

 protected:
  ~observer() = default;
};

}  // namespace scattergate::report
