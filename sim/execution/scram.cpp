#include "sim/execution/scram.hpp"

#include <openssl/crypto.h>

namespace scattergate::sim {
namespace {

constexpr int sha1_iterations = 10'000;
constexpr int sha256_iterations = 15'000;

/// The value of attribute `name` in "a=..,b=..".
std::string_view attribute(std::string_view message, char name) {
  while (!message.empty()) {
    const std::size_t comma = message.find(',');
    const std::string_view part = message.substr(0, comma);
    if (part.size() >= 2 && part[0] == name && part[1] == '=') return part.substr(2);
    if (comma == message.npos) break;
    message.remove_prefix(comma + 1);
  }
  return {};
}

/// "=2C" is a comma and "=3D" an equals sign in a user name.
std::string unescaped(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view code = name.substr(i, 3);
    const bool comma = code == "=2C";
    const bool equals = code == "=3D";
    out += comma ? ',' : (equals ? '=' : name[i]);
    if (comma || equals) i += 2;
  }
  return out;
}

std::string exclusive_or(std::string left, std::string_view right) {
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<char>(left[i] ^ right[i]);
  return left;
}

}  // namespace

scram_secret make_secret(digest_kind kind, std::string_view user, std::string_view password,
                         std::string_view salt, int iterations) {
  std::string input{password};
  if (kind == digest_kind::sha1) {
    input = hex(digest(digest_kind::md5, std::string{user} + ":mongo:" + input));
  }
  const std::string salted = pbkdf2(kind, input, salt, iterations);
  return {std::string{salt}, iterations, digest(kind, hmac(kind, salted, "Client Key")),
          hmac(kind, salted, "Server Key")};
}

void credentials::add(const std::string& name, const std::string& password) {
  users_[name] = {
      make_secret(digest_kind::sha1, name, password, random_bytes(16), sha1_iterations),
      make_secret(digest_kind::sha256, name, password, random_bytes(28), sha256_iterations)};
}

const scram_secret* credentials::find(std::string_view name, digest_kind kind) const {
  const auto known = users_.find(name);
  if (known == users_.end()) return nullptr;
  return kind == digest_kind::sha1 ? &known->second.sha1 : &known->second.sha256;
}

scram_server::scram_server(const credentials& known, digest_kind kind, std::string nonce)
    : known_(known), kind_(kind), nonce_(std::move(nonce)) {}

std::optional<std::string> scram_server::step(std::string_view message) {
  if (proven_) return std::string{};
  return begun_ ? final(message) : first(message);
}

std::optional<std::string> scram_server::first(std::string_view message) {
  begun_ = true;
  // No channel binding: "n,," or "y,,", then the bare message.
  if (!message.starts_with("n,,") && !message.starts_with("y,,")) return std::nullopt;
  const std::string_view bare = message.substr(3);
  user_ = unescaped(attribute(bare, 'n'));
  const std::string_view client_nonce = attribute(bare, 'r');
  const scram_secret* secret = known_.find(user_, kind_);
  if (secret == nullptr || client_nonce.empty()) return std::nullopt;
  nonce_ = std::string{client_nonce} + nonce_;
  std::string answer =
      "r=" + nonce_ + ",s=" + base64(secret->salt) + ",i=" + std::to_string(secret->iterations);
  transcript_ = std::string{bare} + "," + answer;
  return answer;
}

std::optional<std::string> scram_server::final(std::string_view message) {
  const scram_secret* secret = known_.find(user_, kind_);
  const std::size_t proof_at = message.rfind(",p=");
  if (secret == nullptr || proof_at == message.npos) return std::nullopt;
  const std::string_view without_proof = message.substr(0, proof_at);
  const std::string proof = from_base64(message.substr(proof_at + 3));
  const std::string_view binding = attribute(message, 'c');
  const bool binds = binding == base64("n,,") || binding == base64("y,,");
  if (!binds || attribute(message, 'r') != nonce_) return std::nullopt;
  const std::string signed_text = transcript_ + "," + std::string{without_proof};
  const std::string signature = hmac(kind_, secret->stored_key, signed_text);
  if (proof.size() != signature.size()) return std::nullopt;
  const std::string stored = digest(kind_, exclusive_or(proof, signature));
  if (CRYPTO_memcmp(stored.data(), secret->stored_key.data(), stored.size()) != 0) {
    return std::nullopt;
  }
  proven_ = true;
  return "v=" + base64(hmac(kind_, secret->server_key, signed_text));
}

}  // namespace scattergate::sim
