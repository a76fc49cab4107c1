#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/values/digest.hpp"

/// The server's side of SCRAM (RFC 5802, RFC 7677) with MongoDB's two mechanisms.
namespace scattergate::sim {

struct scram_user {
  std::string name;
  std::string db;
};

/// The secret that a server stores for a password, for one mechanism.
struct scram_secret {
  std::string salt;
  int iterations = 0;
  std::string stored_key;
  std::string server_key;
};

/// Derives the stored secret. SCRAM-SHA-1 uses MongoDB's digest of name and password instead of
/// the password itself. Doesn't apply SASLprep, which leaves ASCII passwords unchanged.
[[nodiscard]] scram_secret make_secret(digest_kind kind, std::string_view user,
                                       std::string_view password, std::string_view salt,
                                       int iterations);

/// The users from the command line. They may authenticate against any database.
class credentials {
 public:
  void add(const std::string& name, const std::string& password);
  [[nodiscard]] bool empty() const noexcept { return users_.empty(); }
  [[nodiscard]] bool has(std::string_view name) const {
    return users_.find(name) != users_.end();
  }
  [[nodiscard]] const scram_secret* find(std::string_view name, digest_kind kind) const;

 private:
  struct secrets {
    scram_secret sha1;
    scram_secret sha256;
  };
  std::map<std::string, secrets, std::less<>> users_;
};

/// A SCRAM conversation: the client's first message, its final one, and the empty one of
/// drivers without skipEmptyExchange.
class scram_server {
 public:
  /// `nonce` is appended to the client's.
  scram_server(const credentials& known, digest_kind kind, std::string nonce);

  /// The answer to the client's next message; std::nullopt if authentication failed.
  [[nodiscard]] std::optional<std::string> step(std::string_view message);

  [[nodiscard]] bool is_proven() const noexcept { return proven_; }
  [[nodiscard]] const std::string& user() const noexcept { return user_; }

 private:
  [[nodiscard]] std::optional<std::string> first(std::string_view message);
  [[nodiscard]] std::optional<std::string> final(std::string_view message);

  const credentials& known_;
  digest_kind kind_;
  std::string nonce_;
  std::string user_;
  std::string transcript_;  ///< client-first-bare and server-first
  bool begun_ = false;
  bool proven_ = false;
};

}  // namespace scattergate::sim
