#include <algorithm>
#include <array>

#include "sim/execution/arguments.hpp"
#include "sim/execution/command.hpp"
#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"
#include "wire/compressed.hpp"
#include "wire/limits.hpp"

/// hello and its older names, ping, buildInfo: the first commands of a driver.
namespace scattergate::sim {
namespace {

/// The bytes after the client's nonce.
constexpr std::size_t nonce_bytes = 24;

[[noreturn]] void fail() {
  refuse(errc::authentication_failed, "Authentication failed.");
}

std::string payload_of(const document& body) {
  const value& payload = needed_argument(body, "payload");
  if (const auto* bytes = payload.as<binary>()) return bytes->bytes;
  if (const auto* text = payload.as<std::string>()) return *text;
  refuse(errc::type_mismatch, "payload must be binary");
}

document reply_of(std::string payload, bool done) {
  return {{"conversationId", std::int32_t{1}},
          {"done", done},
          {"payload", binary{0, std::move(payload)}}};
}

document start(context& at, const document& body) {
  const std::string mechanism = text_argument(body, "mechanism");
  const bool sha256 = mechanism == "SCRAM-SHA-256";
  if (!sha256 && mechanism != "SCRAM-SHA-1") {
    refuse("Received authentication for mechanism " + mechanism +
           " which is unknown or not enabled");
  }
  at.client.conversation = std::make_unique<scram_server>(
      at.all.users, sha256 ? digest_kind::sha256 : digest_kind::sha1,
      base64(random_bytes(nonce_bytes)));
  at.client.skips_empty_exchange =
      flag_argument(document_argument(body, "options"), "skipEmptyExchange");
  const auto next = at.client.conversation->step(payload_of(body));
  if (!next) {
    at.client.conversation.reset();
    fail();
  }
  return reply_of(*next, false);
}

document run_start(context& at) {
  return start(at, at.in.body);
}

document run_continue(context& at) {
  if (at.client.conversation == nullptr) refuse(17, "No SASL session state found");
  scram_server& conversation = *at.client.conversation;
  const bool was_proven = conversation.is_proven();
  const auto next = conversation.step(payload_of(at.in.body));
  if (!next) {
    at.client.conversation.reset();
    fail();
  }
  // The proof ends the exchange for drivers that skip the empty message; others send one more.
  if (!was_proven) at.client.users.push_back({conversation.user(), at.in.db});
  const bool done = was_proven || at.client.skips_empty_exchange;
  if (done) at.client.conversation.reset();
  return reply_of(*next, done);
}

document run_logout(context& at) {
  at.client.users.clear();
  return {};
}

document run_connection_status(context& at) {
  array users;
  for (const scram_user& each : at.client.users) {
    users.emplace_back(document{{"user", each.name}, {"db", each.db}});
  }
  return {{"authInfo", document{{"authenticatedUsers", std::move(users)},
                                {"authenticatedUserRoles", array{}}}}};
}

/// Runs the authentication step in a hello's field `speculativeAuthenticate`, and adds the
/// answer to `reply`. Adds nothing if the field is absent or authentication fails. Throws
/// command_failure (type_mismatch) if the field isn't a document.
void speculate(context& at, document& reply) {
  const document& offer = document_argument(at.in.body, "speculativeAuthenticate");
  if (offer.empty()) return;
  try {
    reply.append("speculativeAuthenticate", start(at, offer));
  } catch (const command_failure&) {
    // As mongos does: the driver then authenticates with separate commands, and gets the error.
  }
}

/// The compressors for the reply's field `compression`: the known ones in the hello's field
/// `compression`, in the client's order. Throws command_failure (type_mismatch) if the hello's
/// field isn't an array.
array agreed_compressors(const document& hello) {
  array out;
  for (const value& offered : array_argument(hello, "compression")) {
    const auto* name = offered.as<std::string>();
    const auto found = name == nullptr ? std::nullopt : wire::compressor_named(*name);
    if (found && *found != wire::compressor::none) out.emplace_back(*name);
  }
  return out;
}

/// A monitor that knows the topologyVersion waits: nothing ever changes here.
void await_change(context& at) {
  const document& known = document_argument(at.in.body, "topologyVersion");
  const value* wait = argument(at.in.body, "maxAwaitTimeMS");
  if (known.empty() != (wait == nullptr))
    refuse(31368, "A request with topologyVersion must include maxAwaitTimeMS");
  if (wait == nullptr) return;
  constexpr std::int64_t longest_ms = 60'000;
  const value* process = known.find("processId");
  const auto* id = as<object_id>(process);
  at.streams = at.in.exhaust_allowed;
  if (id == nullptr || id->bytes != at.all.process.bytes) return;
  at.delay =
      std::chrono::milliseconds{std::clamp<std::int64_t>(wait->as_int64(), 0, longest_ms)};
}

document run_hello(context& at) {
  await_change(at);
  const bool modern = at.in.name == "hello";
  document out{
      {modern ? "isWritablePrimary" : "ismaster", true},
      {"msg", "isdbgrid"},
      {"topologyVersion",
       document{{"processId", at.all.process}, {"counter", std::int64_t{0}}}},
      {"maxBsonObjectSize", std::int32_t{16 * 1024 * 1024}},
      {"maxMessageSizeBytes", static_cast<std::int32_t>(wire::limits::max_message_bytes)},
      {"maxWriteBatchSize", std::int32_t{100'000}},
      {"localTime", date{now_millis()}},
      {"logicalSessionTimeoutMinutes", std::int32_t{30}},
      {"connectionId", static_cast<std::int32_t>(at.client.id)},
      {"maxWireVersion", at.all.data.simulated_release().max_wire_version},
      {"minWireVersion", std::int32_t{0}}};
  if (flag_argument(at.in.body, "helloOk")) out.append("helloOk", true);
  array agreed = agreed_compressors(at.in.body);
  if (!agreed.empty()) out.append("compression", std::move(agreed));
  const std::string asked = text_argument(at.in.body, "saslSupportedMechs");
  const std::size_t dot = asked.find('.');
  if (dot != std::string::npos && at.all.users.has(asked.substr(dot + 1))) {
    out.append("saslSupportedMechs", array{"SCRAM-SHA-1", "SCRAM-SHA-256"});
  }
  speculate(at, out);
  out.append("ok", 1.0);
  return out;
}

document run_ping(context&) {
  return {};
}

document run_build_info(context& at) {
  const release& as = at.all.data.simulated_release();
  return {
      {"version", as.version()},
      {"versionArray", array{std::int32_t{as.name.front() - '0'},
                             std::int32_t{as.name.back() - '0'}, as.patch, std::int32_t{0}}},
      {"gitVersion", "scattergate-sim"},
      {"modules", array{}},
      {"scattergateSimulator", true},
      {"note", "This is scattergate-sim, a simulator for tests and demos. It is not MongoDB."},
      {"bits", std::int32_t{64}},
      {"debug", false},
      {"maxBsonObjectSize", std::int32_t{16 * 1024 * 1024}},
      {"storageEngines", array{}}};
}

}  // namespace

std::span<const command_spec> handshake_commands() {
  static constexpr std::array all{
      command_spec{"hello", run_hello, true},
      command_spec{"isMaster", run_hello, true},
      command_spec{"ismaster", run_hello, true},
      command_spec{"ping", run_ping, true},
      command_spec{"buildInfo", run_build_info, true},
      command_spec{"buildinfo", run_build_info, true},
      command_spec{"saslStart", run_start, true},
      command_spec{"saslContinue", run_continue, true},
      command_spec{"logout", run_logout, true},
      command_spec{"connectionStatus", run_connection_status, true},
  };
  return all;
}

}  // namespace scattergate::sim
