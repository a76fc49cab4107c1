#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Builds commands that authenticate a client, as Extended JSON. Their payloads are strings in
/// base64, which mongos accepts as well as binary data.
namespace scattergate::proxy {

/// The bytes as base64.
inline std::string base64_of(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t i) -> std::uint32_t {
      return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U;
    };
    const std::uint32_t group = byte(0) << 16U | byte(1) << 8U | byte(2);
    for (unsigned i = 0; i < 4; ++i) {
      out += at + i > bytes.size() ? '=' : digits[(group >> (18U - 6U * i)) & 63U];
    }
  }
  return out;
}

/// The payload of the client's first message in a SCRAM conversation, as base64.
inline std::string scram_payload(std::string_view user) {
  return base64_of("n,,n=" + std::string{user} + ",r=nonce");
}

/// The fields of a saslStart without `$db`, and without braces.
inline std::string start_fields(std::string_view mechanism, std::string_view payload) {
  return R"("saslStart":1,"mechanism":")" + std::string{mechanism} + R"(","payload":")" +
         std::string{payload} + '"';
}

/// A saslStart with the mechanism SCRAM-SHA-256.
inline std::string scram_start(std::string_view user, std::string_view database = "admin") {
  return '{' + start_fields("SCRAM-SHA-256", scram_payload(user)) + R"(,"$db":")" +
         std::string{database} + R"("})";
}

/// A saslStart with the mechanism PLAIN and the password "secret".
inline std::string plain_start(std::string_view user, std::string_view database = "admin") {
  using namespace std::string_literals;
  return '{' + start_fields("PLAIN", base64_of("\0"s + std::string{user} + "\0secret"s)) +
         R"(,"$db":")" + std::string{database} + R"("})";
}

/// A saslContinue with an empty payload.
inline std::string sasl_continue(int conversation, std::string_view database = "admin") {
  return R"({"saslContinue":1,"conversationId":)" + std::to_string(conversation) +
         R"(,"payload":"","$db":")" + std::string{database} + R"("})";
}

/// A logout from a database.
inline std::string log_out_of(std::string_view database) {
  return R"({"logout":1,"$db":")" + std::string{database} + R"("})";
}

/// A hello command. `app`: the application's name; empty: no client metadata. `user`: the user
/// of a speculative saslStart; empty: no saslStart.
inline std::string hello_of(std::string_view app, std::string_view user = {}) {
  std::string json = R"({"hello":1)";
  if (!app.empty()) {
    json += R"(,"client":{"application":{"name":")" + std::string{app} +
            R"("},"driver":{"name":"PyMongo","version":"4.10.1"}})";
  }
  if (!user.empty()) {
    json += R"(,"speculativeAuthenticate":{)" +
            start_fields("SCRAM-SHA-256", scram_payload(user)) + R"(,"db":"admin"})";
  }
  return json + R"(,"$db":"admin"})";
}

}  // namespace scattergate::proxy
