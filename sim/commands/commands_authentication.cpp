#include "sim/commands/commands_authentication.hpp"

#include <array>

#include "sim/execution/arguments.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

/// The bytes after the client's nonce.
constexpr std::size_t nonce_bytes = 24;

[[noreturn]] void fail() {
  throw command_failure(errc::authentication_failed, "Authentication failed.");
}

std::string payload_of(const document& body) {
  const value& payload = needed_argument(body, "payload");
  if (const auto* bytes = payload.as<binary>()) return bytes->bytes;
  if (const auto* text = payload.as<std::string>()) return *text;
  throw command_failure(errc::type_mismatch, "payload must be binary");
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
    throw command_failure(errc::bad_value, "Received authentication for mechanism " +
                                               mechanism + " which is unknown or not enabled");
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
  if (at.client.conversation == nullptr) {
    throw command_failure(static_cast<errc>(17), "No SASL session state found");
  }
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

constexpr std::array authentication_specs{
    command_spec{"saslStart", run_start, true},
    command_spec{"saslContinue", run_continue, true},
    command_spec{"logout", run_logout, true},
    command_spec{"connectionStatus", run_connection_status, true},
};

}  // namespace

void speculate(context& at, document& reply) {
  const document& offer = document_argument(at.in.body, "speculativeAuthenticate");
  if (offer.empty()) return;
  try {
    reply.append("speculativeAuthenticate", start(at, offer));
  } catch (const command_failure&) {
    // As mongos does: the driver then authenticates with separate commands, and gets the error.
  }
}

std::span<const command_spec> authentication_commands() {
  return authentication_specs;
}

}  // namespace scattergate::sim
