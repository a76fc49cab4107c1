#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/row.hpp"
#include "wire/enum_count.hpp"

namespace scattergate::report {

/// What kind of source it is, told by its content (contract: `--as KIND`).
enum class source_kind : std::uint8_t {
  unknown,
  audit,
  mongos_log,
  mongod_log,
  profile,
  commands,
  pcap,
  recording,
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
  lost,                ///< a gap in a connection's bytes, and the message around it
  tls,                 ///< a connection under TLS
  told_by_statement,  ///< a mongod's batch, whose statements have lines of their own
};
inline constexpr std::size_t skip_reason_count = wire::enum_count<skip_reason>();
[[nodiscard]] std::string_view label(skip_reason why) noexcept;

/// A command that a source tells of, and what is known of it.
struct observation {
  std::vector<std::byte> command;  ///< BSON, with `$db`
  std::vector<std::byte> origin;   ///< of a getMore: what opened its cursor; empty: not known
  std::optional<std::uint32_t> shards;  ///< the truth: mongos's nShards
  std::optional<std::chrono::nanoseconds> duration;
  std::optional<digest::wall_time> at;
  bool is_error = false;
  digest::caller who;
  std::string query_shape_hash;
};

/// Who takes what a source tells.
class observer {
 public:
  virtual void on_command(const observation& seen) = 0;
  /// Judged already, by a proxy.
  virtual void on_row(const digest::row& judged) = 0;
  virtual void on_skipped(skip_reason why) = 0;

 protected:
  ~observer() = default;
};

}  // namespace scattergate::report
