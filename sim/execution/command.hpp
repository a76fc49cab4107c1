#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/execution/cursors.hpp"
#include "sim/execution/scram.hpp"
#include "sim/execution/sessions.hpp"
#include "sim/storage/cluster.hpp"
#include "sim/values/value.hpp"

/// The interface of the functions that run commands.
namespace scattergate::sim {

/// The last changes of the cluster, for change streams.
struct change_log {
  std::deque<data_change> kept;  ///< oldest first; at most 10,000
  timestamp forgotten;           ///< the cluster time of the last change that isn't kept
};

/// The state of the simulated cluster, shared by all commands.
struct state {
  /// Creates a cluster of `shard_count` empty shards.
  explicit state(std::size_t shard_count);

  /// Adds committed changes to `changes`, with the cluster time.
  void record(std::vector<data_change> committed);

  cluster data;  ///< databases, collections and shards
  change_log changes;
  cursor_table cursors;
  session_table sessions;
  credentials users;             ///< the users that may authenticate; empty: no authentication
  object_id process;             ///< the processId in topologyVersion
  std::int64_t started_ms = 0;   ///< start of the simulator, in milliseconds since 1970
  std::int64_t connections = 0;  ///< number of open connections
  std::int64_t commands = 0;     ///< number of commands received
};

/// A client's connection.
struct connection {
  std::int64_t id = 0;                         ///< the connectionId in a hello's reply
  std::string remote;                          ///< the client's address
  std::unique_ptr<scram_server> conversation;  ///< the authentication in progress; null: none
  bool skips_empty_exchange = false;  ///< the client requested authentication in two steps
                                      ///< (skipEmptyExchange)
  std::vector<scram_user> users;      ///< the users that have authenticated
};

/// A received command. Its document sequences are merged into the body as arrays.
struct request {
  std::string name;  ///< the command's name: the name of the body's first field
  std::string db;    ///< the value of `$db`
  document body;
  bool exhaust_allowed = false;  ///< the client accepts several replies (flag exhaustAllowed)
};

/// The context of a running command.
struct context {
  state& all;                     ///< the simulated cluster
  connection& client;             ///< the connection that sent the command
  const request& in;              ///< the command
  const session_fields& session;  ///< the command's session fields
  unit_of_work& unit;             ///< the writes of the command, or of its transaction
  /// Set by the command: how long to wait before replying (an awaitable hello).
  std::chrono::milliseconds delay{0};
  bool streams = false;  ///< set by the command: more replies follow (an exhaust hello)
  /// Set by the command: how long it may run again before its reply is sent (a getMore of a
  /// change stream without events).
  std::chrono::milliseconds awaits{0};

  /// The command's namespace: its database, and the collection named in its first field.
  /// Throws command_failure (invalid_namespace, or command_not_supported_on_view for a view).
  [[nodiscard]] std::string ns() const;
  /// Like ns(), for commands that may also name a view.
  [[nodiscard]] std::string ns_or_view() const;
};

/// Runs a command and returns the reply. Throws command_failure.
using handler = document (*)(context&);

/// A command that the simulator supports.
struct command_spec {
  std::string_view name;
  handler run = nullptr;
  bool needs_no_user = false;            ///< allowed without authentication
  bool allowed_in_transactions = false;  ///< allowed in multi-document transactions
};

/// Tables of the supported commands, one function for each topic.
[[nodiscard]] std::span<const command_spec> handshake_commands();
[[nodiscard]] std::span<const command_spec> session_commands();
[[nodiscard]] std::span<const command_spec> diagnostic_commands();
[[nodiscard]] std::span<const command_spec> read_commands();
[[nodiscard]] std::span<const command_spec> write_commands();
[[nodiscard]] std::span<const command_spec> explain_commands();
[[nodiscard]] std::span<const command_spec> definition_commands();
[[nodiscard]] std::span<const command_spec> sharding_commands();

/// The command named `name`; null if the simulator doesn't support it.
[[nodiscard]] const command_spec* find_command(std::string_view name);

/// All supported commands, sorted by name.
[[nodiscard]] std::vector<command_spec> all_commands();

}  // namespace scattergate::sim
