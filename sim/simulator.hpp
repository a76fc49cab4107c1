#pragma once

#include <chrono>
#include <string>

#include "sim/execution/command.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A command's reply, and what the connection must do with it.
struct answer {
  document body;
  std::chrono::milliseconds delay{0};  ///< how long to wait before sending it
  bool streams = false;  ///< run the command again after each reply, without a new request (an
                         ///< exhaust hello)
  bool must_retry = false;  ///< the command was undone because another transaction holds a
                            ///< document; run it again
};

/// A simulated sharded cluster behind one port, for tests and the demo: runs commands and
/// returns answers. It isn't MongoDB. Thread-safety: one thread at a time.
class simulator {
 public:
  explicit simulator(std::size_t shard_count) : state_(shard_count) {}

  /// Runs one command to completion. Never throws because of what a client sent.
  [[nodiscard]] answer run(connection& client, const request& in);

  /// Registers a new client. `remote`: its address. Call disconnect() when it leaves.
  [[nodiscard]] connection connect(std::string remote);
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
