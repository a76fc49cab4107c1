#include "proxy/judging/client_identity.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "config/text/extended_json.hpp"
#include "text/utf8.hpp"
#include "wire/bson.hpp"
#include "wire/limits.hpp"
#include "wire/op_msg.hpp"
#include "wire/op_query.hpp"

namespace scattergate::proxy {
namespace {

std::optional<wire::document_view> document_of(const wire::message_header& header,
                                               std::span<const std::byte> message) {
  if (header.op == wire::opcode::msg) {
    const auto reply = wire::parse_op_msg(header, message);
    return reply ? std::optional{reply->body} : std::nullopt;
  }
  if (header.op != wire::opcode::reply) return std::nullopt;
  const auto reply = wire::parse_op_reply(header, message);
  return reply ? wire::document_view::first_of(reply->documents) : std::nullopt;
}

using step = identity_claim::step;

/// The maximum length of a name, in bytes; longer ones are cut. The driver specifications limit
/// application.name to 128 bytes, and the whole `client` to 512.
constexpr std::size_t max_name_bytes = 128;

std::string_view string_in(wire::document_view document, std::string_view name) noexcept {
  const auto field = wire::find_field(document, name);
  return field && field->is_string() ? field->as_string() : std::string_view{};
}

std::optional<wire::document_view> document_in(wire::document_view document,
                                               std::string_view name) noexcept {
  const auto field = wire::find_field(document, name);
  return field ? field->as_document() : std::nullopt;
}

/// A database's name, cut to the maximum length of a namespace.
std::string database(std::string_view name) {
  return std::string{name.substr(0, wire::limits::max_namespace_bytes)};
}

/// The user in an `authenticate`: for MONGODB-X509, the certificate's subject as the client
/// states it; mongos compares it with the certificate. Empty if the client doesn't state it.
std::string certified_user(wire::document_view start) {
  const std::string_view user = string_in(start, "user");
  return std::string{user.size() <= max_user_bytes ? user : std::string_view{}};
}

void read_start(wire::document_view start, std::string_view in, step what,
                identity_claim& claim) {
  claim.who.database = database(in);
  claim.who.name =
      what == step::authenticate ? certified_user(start) : user_of_sasl_start(start);
}

/// Reads a hello's `speculativeAuthenticate`, which contains a command: its first field is the
/// command's name.
void read_speculative(wire::document_view start, identity_claim& claim) {
  wire::element first;
  if (!wire::document_reader{start}.next(first)) return;
  if (first.key() == "saslStart") claim.begins = step::start;
  if (first.key() == "authenticate") claim.begins = step::authenticate;
  std::string_view in = string_in(start, "db");
  if (in.empty() && claim.begins == step::authenticate) in = "$external";
  read_start(start, in, claim.begins, claim);
}

void read_hello(wire::document_view hello, identity_claim& claim) {
  if (const auto client = document_in(hello, "client")) {
    if (const auto application = document_in(*client, "application")) {
      claim.app = text::cut_utf8(string_in(*application, "name"), max_name_bytes);
    }
    if (const auto driver = document_in(*client, "driver")) {
      claim.driver = text::cut_utf8(string_in(*driver, "name"), max_name_bytes);
      const auto version = text::cut_utf8(string_in(*driver, "version"), max_name_bytes);
      if (!version.empty()) claim.driver.append(" ").append(version);
    }
  }
  if (const auto start = document_in(hello, "speculativeAuthenticate")) {
    read_speculative(*start, claim);
  }
}

step step_of(routing::command_kind kind) noexcept {
  switch (kind) {
    case routing::command_kind::sasl_start:
      return step::start;
    case routing::command_kind::sasl_continue:
      return step::go_on;
    case routing::command_kind::authenticate:
      return step::authenticate;
    case routing::command_kind::logout:
      return step::log_out;
    default:
      return step::greet;
  }
}

/// The number of a base64 payload's first bytes that are decoded. The name is near the
/// beginning.
constexpr std::size_t max_base64_bytes = 64 * 1024;

/// Removes and returns the text up to `end`, and removes `end`; std::nullopt if there is none.
std::optional<std::string_view> take_until(std::string_view& text, char end) noexcept {
  const auto at = text.find(end);
  if (at == text.npos) return std::nullopt;
  const auto part = text.substr(0, at);
  text.remove_prefix(at + 1);
  return part;
}

/// Decodes a saslname: "=2C" is a comma and "=3D" an equals sign (RFC 5802, section 5.1). Any
/// other "=" is literal, as in mongos.
std::string unescaped(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const bool is_comma = name.starts_with("=2C");
    const bool is_equals = name.starts_with("=3D");
    out += is_comma ? ',' : name.front();  // of "=3D", the first character is the equals sign
    name.remove_prefix(is_comma || is_equals ? 3 : 1);
  }
  return out;
}

/// The user in a client-first-message (RFC 5802, section 7):
///
///     gs2-cbind-flag "," [ "a=" authzid ] "," "n=" username "," "r=" nonce [ "," extensions ]
///
/// Empty if mongos rejects the message. Accepts what mongos accepts beyond the standard, such
/// as empty parts before the name (mongo: sasl_scram_server_conversation.cpp).
std::string scram_user(std::string_view message) {
  const auto binding = take_until(message, ',');
  if (binding != "n" && binding != "y") return {};  // mongos has no channel binding ("p=...")
  const auto authorized = take_until(message, ',');
  if (!authorized || (!authorized->empty() && !authorized->starts_with("a="))) return {};
  message.remove_prefix(std::min(message.find_first_not_of(','), message.size()));
  const auto name = take_until(message, ',');
  if (!name || !name->starts_with("n=")) return {};
  constexpr std::size_t longest_code = 3;
  const auto code = name->substr(2);
  if (code.size() > longest_code * max_user_bytes) return {};
  std::string user = unescaped(code);
  // mongos doesn't allow a client to act as another user (authzid). It compares the authzid
  // without decoding it.
  if (authorized->size() > 2 && authorized->substr(2) != user) return {};
  return user;
}

/// The user in PLAIN's message (RFC 4616, section 2): [authzid] NUL authcid NUL password.
std::string plain_user(std::string_view message) {
  const auto authorized = take_until(message, '\0');
  const auto user = take_until(message, '\0');
  if (!authorized || !user) return {};
  if (!authorized->empty() && *authorized != *user) return {};
  return std::string{*user};
}

std::string user_of(std::string_view mechanism, std::string_view payload) {
  if (mechanism == "SCRAM-SHA-1" || mechanism == "SCRAM-SHA-256") return scram_user(payload);
  if (mechanism == "PLAIN") return plain_user(payload);
  return {};
}

std::string_view bytes_of_binary(const wire::element& field) noexcept {
  constexpr std::size_t head_bytes = 5;  // int32 length, subtype
  if (field.value().size() < head_bytes) return {};
  const auto bytes = field.value().subspan(head_bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::optional<std::string> replica_set_of(const wire::message_header& header,
                                          std::span<const std::byte> message) {
  const auto document = document_of(header, message);
  if (!document) return std::nullopt;
  const auto name = wire::find_field(*document, "setName");
  if (!name || !name->is_string()) return std::nullopt;
  return std::string{name->as_string()};
}

std::unique_ptr<identity_claim> read_claim(const wire::command& command,
                                           routing::command_kind kind) {
  auto claim = std::make_unique<identity_claim>();
  claim->what = step_of(kind);
  switch (claim->what) {
    case step::greet:
      read_hello(command.body, *claim);
      break;
    case step::start:
    case step::authenticate:
      read_start(command.body, command.database, claim->what, *claim);
      break;
    case step::go_on:
      if (const auto id = wire::find_field(command.body, "conversationId")) {
        claim->conversation = id->as_int64().value_or(0);
      }
      [[fallthrough]];
    case step::log_out:
    case step::unread:
      claim->who.database = database(command.database);
  }
  return claim;
}

std::string user_of_sasl_start(wire::document_view start) {
  const auto mechanism = wire::find_field(start, "mechanism");
  const auto payload = wire::find_field(start, "payload");
  if (!mechanism || !mechanism->is_string() || !payload) return {};
  std::string user;
  if (payload->type() == wire::bson_type::binary) {
    user = user_of(mechanism->as_string(), bytes_of_binary(*payload));
  } else if (payload->is_string()) {  // mongos decodes a string as base64
    const auto text = payload->as_string().substr(0, max_base64_bytes);
    if (const auto bytes = config::decode_base64(text)) {
      user = user_of(mechanism->as_string(), *bytes);
    }
  }
  return user.size() <= max_user_bytes ? user : std::string{};
}

std::unique_ptr<identity_claim> client_identity::claim(const wire::command& command,
                                                       routing::command_kind kind) {
  auto made = read_claim(command, kind);
  const bool begins_exchange = made->what == step::greet && made->begins != step::greet;
  if (made->what == step::greet && has_been_greeted_ && !begins_exchange) return nullptr;
  if (command.more_to_come) {
    // No reply will report the outcome.
    if (made->what != step::greet || begins_exchange) ++epoch_;
    if (made->what == step::log_out) {
      log_out(made->who.database);
      logged_out_at_ = epoch_;
    }
    return nullptr;
  }
  made->epoch = epoch_;
  made->is_counted = true;
  if (++under_way_ > max_claims) {
    made->app.clear();
    made->driver.clear();
    made->who.name.clear();
    made->who.is_unseen = true;
  }
  return made;
}

std::unique_ptr<identity_claim> client_identity::claim_unread() {
  ++epoch_;
  auto made = std::make_unique<identity_claim>();
  made->what = step::unread;
  made->epoch = epoch_;
  return made;
}

void client_identity::make_unknown() noexcept {
  if (std::exchange(is_untracked_, true)) return;
  known_as_ = 0;
  accounts_.clear();
  conversations_.clear();
}

void client_identity::settle(identity_claim& claim, const wire::reply_facts* reply) {
  if (claim.is_counted) --under_way_;
  if (reply == nullptr || !reply->readable || is_untracked_) return;
  if (!reply->ok) {
    if (claim.what == step::go_on) forget_conversation(claim.conversation);
    return;
  }
  switch (claim.what) {
    case step::greet:
      return greeted(claim, *reply);
    case step::start:
      return started(claim, *reply);
    case step::go_on:
      return continued(claim, *reply);
    case step::authenticate:
      return confirm(std::move(claim.who), claim);
    case step::log_out:
      return log_out(claim.who.database);
    case step::unread:
      if (reply->sasl_done) confirm({{}, {}, true}, claim);
      return;
  }
}

/// mongos takes the client's metadata from the first hello only, even if that has none. It
/// rejects metadata in a later hello (ClientMetadataCannotBeMutated).
void client_identity::greeted(identity_claim& claim, const wire::reply_facts& reply) {
  if (!std::exchange(has_been_greeted_, true)) {
    known_as_ = 0;
    app_ = std::move(claim.app);
    driver_ = std::move(claim.driver);
  }
  // If the reply has no speculativeAuthenticate, mongos hasn't started the exchange; the driver
  // then starts it by a separate command.
  if (!reply.is_speculative) return;
  if (claim.begins == step::start) started(claim, reply);
  if (claim.begins == step::authenticate) confirm(std::move(claim.who), claim);
}

void client_identity::started(identity_claim& claim, const wire::reply_facts& reply) {
  forget_conversation(reply.conversation);
  if (reply.sasl_done) return confirm(std::move(claim.who), claim);
  if (conversations_.size() == max_conversations) conversations_.erase(conversations_.begin());
  conversations_.push_back({reply.conversation, claim.epoch, std::move(claim.who)});
}

void client_identity::continued(identity_claim& claim, const wire::reply_facts& reply) {
  if (!reply.sasl_done) return;
  account who{{}, std::move(claim.who.database), true};
  const auto known = std::ranges::find(conversations_, claim.conversation, &conversation::id);
  if (known != conversations_.end()) {
    const bool is_same = known->epoch == claim.epoch && reply.conversation == known->id;
    if (is_same) who = std::move(known->who);
    forget_conversation(claim.conversation);
  }
  confirm(std::move(who), claim);
}

void client_identity::confirm(account who, const identity_claim& by) {
  has_authenticated_ = true;
  known_as_ = 0;
  log_out(who.database);                  // a database has at most one user on a connection
  if (by.epoch < logged_out_at_) return;  // an unanswered logout may have followed the request
  if (accounts_.size() == max_accounts) accounts_.erase(accounts_.begin());
  accounts_.push_back(std::move(who));
}

void client_identity::log_out(std::string_view database) noexcept {
  known_as_ = 0;
  std::erase_if(accounts_, [&](const account& each) { return each.database == database; });
}

void client_identity::forget_conversation(std::int64_t id) noexcept {
  std::erase_if(conversations_, [&](const conversation& each) { return each.id == id; });
  if (conversations_.empty()) conversations_.shrink_to_fit();
}

}  // namespace scattergate::proxy
