#include "proxy/judging/sasl_user.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "config/text/extended_json_text.hpp"

namespace scattergate::proxy {
namespace {

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

}  // namespace scattergate::proxy
