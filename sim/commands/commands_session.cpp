#include <array>

#include "sim/execution/arguments.hpp"
#include "sim/execution/command.hpp"

/// Sessions and the end of transactions.
namespace scattergate::sim {
namespace {

document run_start_session(context&) {
  std::string id = random_bytes(16);
  return {{"id", document{{"id", binary{4, std::move(id)}}}},
          {"timeoutMinutes", std::int32_t{30}}};
}

document run_end_sessions(context& at) {
  for (const value& each : array_argument(at.in.body, at.in.name)) {
    const auto* session = each.as<document>();
    const auto* bytes = session == nullptr ? nullptr : session->find_as<binary>("id");
    if (bytes != nullptr) at.all.sessions.end(bytes->bytes);
  }
  return {};
}

document run_refresh_sessions(context&) {
  return {};
}

/// The token allows a driver to commit through another mongos. There is none, but the token
/// must exist.
document recovery_token(const context& at) {
  return {{"recoveryToken", document{{"recoveryShardId", at.all.data.shards().front().name}}}};
}

document run_commit(context& at) {
  at.all.record(at.all.sessions.commit(at.session));
  return recovery_token(at);
}

document run_abort(context& at) {
  at.all.sessions.abort(at.session);
  return recovery_token(at);
}

}  // namespace

std::span<const command_spec> session_commands() {
  static constexpr std::array all{
      command_spec{"startSession", run_start_session},
      command_spec{"endSessions", run_end_sessions, true},
      command_spec{"killSessions", run_end_sessions},
      command_spec{"refreshSessions", run_refresh_sessions},
      command_spec{"commitTransaction", run_commit, false, true},
      command_spec{"abortTransaction", run_abort, false, true},
  };
  return all;
}

}  // namespace scattergate::sim
