#pragma once

#include <chrono>
#include <string>

#include "sim/execution/command.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A command's reply, and how the connection must handle it.
struct answer {
  document body;
  std::chrono::milliseconds delay{0};  ///< how long to wait before sending the reply
  /// Run the command again after each reply, without a new request: an exhaust hello.
  bool streams = false;
  /// Instead of sending the reply, run the command again until a reply sets no time, or until
  /// this time has passed. Set if another transaction has changed a document (the command was
  /// undone), and if a change stream has no events yet.
  std::chrono::milliseconds retry_for{0};
};

/// A simulated sharded cluster behind one port, for tests and the demo: runs commands and
/// returns their replies. It isn't MongoDB. Thread-safety: one thread at a time.
class simulator {
 public:
  /// Creates a cluster of empty shards.
  explicit simulator(std::size_t shard_count) : state_(shard_count) {}

  /// Runs one command of a client. Never throws: errors become error replies.
  [[nodiscard]] answer run(connection& client, const request& in);

  /// Registers a new client and returns its state, which the caller passes to run(). `remote`:
  /// the client's address. The caller must call disconnect() when the client leaves.
  [[nodiscard]] connection connect(std::string remote);
  /// Counts that a client has left.
  void disconnect() noexcept { --state_.connections; }

  /// All state of the cluster.
  [[nodiscard]] sim::state& contents() noexcept { return state_; }

 private:
  [[nodiscard]] answer dispatch(connection& client, const request& in);
  [[nodiscard]] answer run_in_unit(connection& client, const request& in,
                                   const command_spec& command, const session_fields& session);

  sim::state state_;
};

/// The reply to a failed command: `{ok: 0, errmsg, code, codeName, ...}`.
[[nodiscard]] document error_reply(const class command_failure& failure);

}  // namespace scattergate::sim
