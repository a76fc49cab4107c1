#include "sim/simulator.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/execution/arguments.hpp"
#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"

namespace scattergate::sim {
namespace {

/// How long a write waits for another transaction before it fails.
constexpr auto conflict_patience = std::chrono::seconds{5};

/// Fields that mongos adds to every reply.
void add_times(state& all, document& reply) {
  const timestamp now = all.data.tick();
  reply.append("$clusterTime",
               document{{"clusterTime", now},
                        {"signature", document{{"hash", binary{0, std::string(20, '\0')}},
                                               {"keyId", std::int64_t{0}}}}});
  reply.append("operationTime", now);
}

/// The reply to a failed command. If rerunning the transaction may help, it has the label that
/// reports that to drivers.
document failed_reply(const command_failure& failure, bool in_transaction) {
  document reply = error_reply(failure);
  const bool is_lost = failure.code() == errc::no_such_transaction;
  const bool conflicts = failure.code() == errc::write_conflict;
  if (is_lost || (conflicts && in_transaction)) {
    reply.append("errorLabels", array{"TransientTransactionError"});
  }
  return reply;
}

const command_spec& known_command(const request& in) {
  const command_spec* command = find_command(in.name);
  if (command == nullptr)
    refuse(errc::command_not_found, "no such command: '" + in.name + "'" + see_limits);
  return *command;
}

void check_user(const state& all, const connection& client, const command_spec& command) {
  if (command.needs_no_user || all.users.empty() || !client.users.empty()) return;
  refuse(errc::unauthorized,
         "Command " + std::string{command.name} + " requires authentication");
}

/// Rejects `rawData`, an argument of 8.2 (mongo: idl/generic_argument.idl). 8.1 may know it,
/// but not that it is set (gFeatureFlagRawDataCrudOperations).
void check_raw_data(const release& as, const request& in) {
  static constexpr std::array<std::string_view, 12> commands{
      "find",   "count",  "distinct", "aggregate", "findAndModify", "findandmodify",
      "insert", "update", "delete",   "bulkWrite", "mapReduce",     "explain"};
  if (as.is_since("8.2") || std::ranges::find(commands, in.name) == commands.end()) return;
  if (in.name == "bulkWrite" && !as.is_since("8.0")) return;  // not known itself
  const document* explained =
      in.name == "explain" ? in.body.front().content.as<document>() : nullptr;
  for (const document* each : {&in.body, explained}) {
    if (each == nullptr || !each->has("rawData")) continue;
    // Before 5.0, an explain ignores what it doesn't know (mongo: db/explain.idl).
    if (explained != nullptr && each == &in.body && !as.is_since("5.0")) continue;
    if (as.is_since("8.1") && !flag_argument(*each, "rawData")) continue;
    refuse(errc::unknown_field, "BSON field '" + in.name + ".rawData' is an unknown field.");
  }
}

bool ends_transaction(std::string_view name) {
  return name == "commitTransaction" || name == "abortTransaction";
}

}  // namespace

document error_reply(const command_failure& failure) {
  document reply{{"ok", 0.0},
                 {"errmsg", failure.what()},
                 {"code", static_cast<std::int32_t>(failure.code())},
                 {"codeName", failure.name()}};
  for (const field& each : failure.details()) reply.append(each.name, each.content);
  return reply;
}

connection simulator::connect(std::string remote) {
  static std::int64_t last_id = 0;
  ++state_.connections;
  connection made;
  made.id = ++last_id;
  made.remote = std::move(remote);
  return made;
}

answer simulator::run(connection& client, const request& in) {
  ++state_.commands;
  answer out;
  try {
    out = dispatch(client, in);
  } catch (const command_failure& failure) {
    out.body = failed_reply(failure, false);
  } catch (const std::exception& unexpected) {
    out.body = error_reply(command_failure(static_cast<errc>(8), unexpected.what()));
  }
  add_times(state_, out.body);
  return out;
}

answer simulator::dispatch(connection& client, const request& in) {
  const std::int64_t now = now_millis();
  const command_spec& command = known_command(in);
  check_user(state_, client, command);
  check_raw_data(state_.data.simulated_release(), in);
  const session_fields session = session_fields::of(in.body);
  state_.sessions.expire(now);
  if (session.in_transaction && !ends_transaction(in.name)) {
    if (!command.allowed_in_transactions) {
      refuse(errc::operation_not_supported_in_transaction,
             "Cannot run '" + in.name + "' in a multi-document transaction.");
    }
  } else if (session.number >= 0 && !ends_transaction(in.name)) {
    if (const document* reply = state_.sessions.repeated(session, now)) return {*reply};
  }
  return run_in_unit(client, in, command, session);
}

answer simulator::run_in_unit(connection& client, const request& in,
                              const command_spec& command, const session_fields& session) {
  const bool joins = session.in_transaction && !ends_transaction(in.name);
  unit_of_work own;
  unit_of_work& unit = joins ? state_.sessions.transaction_of(session, now_millis()) : own;
  context at{state_, client, in, session, unit};
  answer out;
  try {
    out.body = command.run(at);
  } catch (const command_failure& failure) {
    out.body = failed_reply(failure, joins);
    if (joins) {
      state_.sessions.forget_transaction(session);
    } else {
      own.roll_back();
      if (failure.code() == errc::write_conflict) out.retry_for = conflict_patience;
    }
    return out;
  }
  if (joins && out.body.has("writeErrors")) state_.sessions.forget_transaction(session);
  state_.record(own.commit());
  if (!out.body.has("ok")) out.body.append("ok", 1.0);
  if (!joins && session.number >= 0 && !ends_transaction(in.name)) {
    state_.sessions.remember(session, out.body);
  }
  out.retry_for = at.awaits;
  out.delay = at.delay;
  out.streams = at.streams;
  return out;
}

}  // namespace scattergate::sim
