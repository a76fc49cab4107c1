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

/// The interface of the commands' handlers.
namespace scattergate::sim {

/// All state that commands act on.
struct state {
  explicit state(std::size_t shard_count);

  cluster data;
  cursor_table cursors;
  session_table sessions;
  host_counts hosts;
  credentials users;
  std::vector<wire::compressor> compressors{wire::compressor::snappy, wire::compressor::zlib,
                                            wire::compressor::zstd};
  object_id process;  ///< for topologyVersion
  std::int64_t started_ms = 0;
  std::int64_t connections = 0;
  std::int64_t commands = 0;
};

/// A client's connection.
struct connection {
  std::int64_t id = 0;
  std::string remote;
  std::unique_ptr<scram_server> conversation;
  bool skips_empty_exchange = false;  ///< the client requested an exchange of two steps
  std::vector<scram_user> users;      ///< authenticated users
};

/// A command as received, with its document sequences merged into the body.
struct request {
  std::string name;
  std::string db;
  document body;
  bool exhaust_allowed = false;
};

/// A running command.
struct context {
  state& all;
  connection& client;
  const request& in;
  const session_fields& session;
  unit_of_work& unit;
  std::chrono::milliseconds hold{0};  ///< how long to delay the reply (an awaited hello)
  bool streams = false;               ///< more replies follow (an exhaust hello)

  /// The namespace: the database, and the collection in the command's first field. Throws
  /// command_failure (invalid_namespace).
  [[nodiscard]] std::string ns() const;
};

using handler = document (*)(context&);

/// A command that the simulator supports.
struct command_spec {
  std::string_view name;
  handler run = nullptr;
  bool needs_no_user = false;
  bool suits_transactions = false;
};

[[nodiscard]] std::span<const command_spec> handshake_commands();
[[nodiscard]] std::span<const command_spec> authentication_commands();
[[nodiscard]] std::span<const command_spec> session_commands();
[[nodiscard]] std::span<const command_spec> diagnostic_commands();
[[nodiscard]] std::span<const command_spec> read_commands();
[[nodiscard]] std::span<const command_spec> write_commands();
[[nodiscard]] std::span<const command_spec> definition_commands();
[[nodiscard]] std::span<const command_spec> sharding_commands();

/// The command with this name, or nullptr.
[[nodiscard]] const command_spec* find_command(std::string_view name);

/// All commands, by name.
[[nodiscard]] std::vector<command_spec> all_commands();

}  // namespace scattergate::sim
