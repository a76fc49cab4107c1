#pragma once

#include <chrono>
#include <string>

#include "sim/execution/command.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A command's reply, and what the connection does with it.
struct answer {
  document body;
  std::chrono::milliseconds hold{0};  ///< how long to delay it
  bool streams = false;               ///< repeat it forever (an exhaust hello)
  bool try_again = false;  ///< nothing was done: another transaction holds a document
};

/// The simulated cluster behind one port: runs commands and returns answers. It is not MongoDB.
class simulator {
 public:
  explicit simulator(std::size_t shard_count) : state_(shard_count) {}

  /// Runs one command to completion. Never throws for what a client sent.
  [[nodiscard]] answer run(connection& client, const request& in);

  /// A new client's state.
  [[nodiscard]] connection connect(std::string remote);
  void disconnect() noexcept { --state_.connections; }

  [[nodiscard]] sim::state& contents() noexcept { return state_; }

 private:
  [[nodiscard]] answer dispatch(connection& client, const request& in);
  [[nodiscard]] answer run_in_unit(connection& client, const request& in,
                                   const command_spec& command, const session_fields& session);

  sim::state state_;
};

/// `{ok: 0, errmsg, code, codeName, ...}`.
[[nodiscard]] document error_reply(const class command_failure& failure);

}  // namespace scattergate::sim
