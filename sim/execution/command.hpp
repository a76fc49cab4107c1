#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/execution/cursors.hpp"
#include "sim/execution/host_counts.hpp"
#include "sim/execution/scram.hpp"
#include "sim/execution/sessions.hpp"
#include "sim/storage/cluster.hpp"
#include "sim/values/value.hpp"
#include "wire/compressed.hpp"

/// The interface of the functions that run commands.
namespace scattergate::sim {

/// The state of the simulated cluster, shared by all commands.
struct state {
  explicit state(std::size_t shard_count);

  cluster data;
  cursor_table cursors;
  session_table sessions;
  host_counts hosts;
  credentials users;
  std::vector<wire::compressor> compressors{wire::compressor::snappy, wire::compressor::zlib,
                                            wire::compressor::zstd};
  object_id process;  ///< the processId in topologyVersion
  std::int64_t started_ms = 0;
  std::int64_t connections = 0;
  std::int64_t commands = 0;
};

/// A client's connection.
struct connection {
  std::int64_t id = 0;
  std::string remote;
  std::unique_ptr<scram_server> conversation;
  bool skips_empty_exchange = false;  ///< the client requested authentication in two steps
                                      ///< (skipEmptyExchange)
  std::vector<scram_user> users;      ///< the users that have authenticated
};

/// A received command. Its document sequences are merged into the body as arrays.
struct request {
  std::string name;  ///< the command's name: that of the body's first field
  std::string db;
  document body;
  bool exhaust_allowed = false;  ///< the client accepts several replies (flag exhaustAllowed)
};

/// The context of a running command.
struct context {
  state& all;
  connection& client;  ///< the connection that sent it
  const request& in;
  const session_fields& session;
  unit_of_work& unit;  ///< the command's or transaction's writes
  /// How long to wait before replying (an awaitable hello).
  std::chrono::milliseconds delay{0};
  bool streams = false;  ///< more replies follow this one (an exhaust hello)

  /// The command's namespace: its database, and the collection named in its first field. Throws
  /// command_failure (invalid_namespace).
  [[nodiscard]] std::string ns() const;
};

/// Runs a command and returns the reply. Throws command_failure.
using handler = document (*)(context&);

/// A command that the simulator supports.
struct command_spec {
  std::string_view name;
  handler run = nullptr;
  bool needs_no_user = false;            ///< allowed before authentication
  bool allowed_in_transactions = false;  ///< allowed in multi-document transactions
};

/// The supported commands, by topic.
[[nodiscard]] std::span<const command_spec> handshake_commands();
[[nodiscard]] std::span<const command_spec> authentication_commands();
[[nodiscard]] std::span<const command_spec> session_commands();
[[nodiscard]] std::span<const command_spec> diagnostic_commands();
[[nodiscard]] std::span<const command_spec> read_commands();
[[nodiscard]] std::span<const command_spec> write_commands();
[[nodiscard]] std::span<const command_spec> definition_commands();
[[nodiscard]] std::span<const command_spec> sharding_commands();

/// The command with this name; null if it isn't supported.
[[nodiscard]] const command_spec* find_command(std::string_view name);

/// All supported commands, sorted by name.
[[nodiscard]] std::vector<command_spec> all_commands();

}  // namespace scattergate::sim
