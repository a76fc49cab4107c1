#include "proxy/judging/identity_claim.hpp"

#include <string_view>

#include "proxy/judging/sasl_user.hpp"
#include "text/utf8.hpp"
#include "wire/limits.hpp"

namespace scattergate::proxy {
namespace {

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

}  // namespace

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

}  // namespace scattergate::proxy
