#include "proxy/client_identity.hpp"

#include "telemetry/utf8.hpp"
#include "wire/limits.hpp"

namespace scattergate::proxy {
namespace {

/// The driver specifications bound application.name to 128 bytes and the whole `client` to 512.
constexpr std::size_t max_name_bytes = 128;
constexpr std::size_t max_user_bytes = 256;

std::string_view string_in(wire::document_view document, std::string_view name) noexcept {
  const auto field = wire::find_field(document, name);
  return field ? field->as_string() : std::string_view{};
}

std::optional<wire::document_view> document_in(wire::document_view document,
                                               std::string_view name) noexcept {
  const auto field = wire::find_field(document, name);
  return field && field->is_document() ? field->as_document() : std::nullopt;
}

/// The user name of a SCRAM client-first-message, "n,,n=USER,r=NONCE" (RFC 5802, section 5.1:
/// "=2C" stands for a comma and "=3D" for an equals sign). Empty where it isn't one.
std::string scram_user(std::string_view message) {
  constexpr std::string_view prefix = "n,,n=";
  if (!message.starts_with(prefix)) return {};
  message.remove_prefix(prefix.size());
  message = message.substr(0, message.find(','));
  std::string user;
  while (!message.empty() && user.size() < max_user_bytes) {
    if (message.starts_with("=2C")) {
      user += ',';
      message.remove_prefix(3);
    } else if (message.starts_with("=3D")) {
      user += '=';
      message.remove_prefix(3);
    } else {
      user += message.front();
      message.remove_prefix(1);
    }
  }
  return user;
}

/// The bytes of a payload, which drivers send as binary (subtype 0) or, long ago, as a string.
std::string_view payload_of(const wire::element& field) noexcept {
  if (field.is_string()) return field.as_string();
  constexpr std::size_t binary_head = 5;  // int32 length, subtype
  if (field.type() != wire::bson_type::binary || field.value().size() < binary_head) return {};
  const auto bytes = field.value().subspan(binary_head);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void client_identity::learn_hello(const wire::command& hello) {
  if (const auto client = document_in(hello.body, "client")) {
    if (const auto application = document_in(*client, "application")) {
      app_ = telemetry::cut_utf8(string_in(*application, "name"), max_name_bytes);
    }
    if (const auto driver = document_in(*client, "driver")) {
      driver_ = telemetry::cut_utf8(string_in(*driver, "name"), max_name_bytes);
      const std::string_view version =
          telemetry::cut_utf8(string_in(*driver, "version"), max_name_bytes);
      if (!version.empty()) driver_.append(" ").append(version);
    }
  }
  if (const auto start = document_in(hello.body, "speculativeAuthenticate")) {
    learn_sasl_start(*start);
  }
}

void client_identity::learn_sasl_start(wire::document_view body) {
  const auto payload = wire::find_field(body, "payload");
  const bool is_scram = string_in(body, "mechanism").starts_with("SCRAM-");
  claimed_ = payload && is_scram ? scram_user(payload_of(*payload)) : std::string{};
}

void client_identity::sasl_succeeded() {
  has_authenticated_ = true;
  if (!claimed_.empty()) user_ = std::move(claimed_);
  claimed_.clear();
}

std::string_view comment_of(const wire::command& command) noexcept {
  const auto field = wire::find_field(command.body, "comment");
  if (!field) return {};
  if (!field->is_string()) return field->is_document() ? "?object" : "?value";
  return telemetry::cut_utf8(field->as_string(), wire::limits::max_comment_bytes);
}

}  // namespace scattergate::proxy
