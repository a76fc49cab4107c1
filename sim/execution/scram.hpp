#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/values/hashing.hpp"

/// The server's part of SCRAM authentication (RFC 5802, RFC 7677), with MongoDB's mechanisms
/// SCRAM-SHA-1 and SCRAM-SHA-256.
namespace scattergate::sim {

/// A user: name and authentication database.
struct scram_user {
  std::string name;
  std::string db;
};

/// The data that a server stores for a password and one mechanism, instead of the password.
/// All strings are raw bytes.
struct scram_secret {
  std::string salt;
  int iterations = 0;
  std::string stored_key;
  std::string server_key;
};

/// Derives the data that a server stores for a password. `salt`: raw bytes. SCRAM-SHA-1 uses
/// MongoDB's digest of name and password instead of the password. Doesn't apply SASLprep, the
/// normalization of passwords, which leaves ASCII passwords unchanged.
[[nodiscard]] scram_secret make_secret(digest_kind kind, std::string_view user,
                                       std::string_view password, std::string_view salt,
                                       int iterations);

/// The users given on the command line. They may authenticate against any database.
class credentials {
 public:
  /// Adds a user.
  void add(const std::string& name, const std::string& password);
  /// Whether there are no users.
  [[nodiscard]] bool empty() const noexcept { return users_.empty(); }
  /// Whether there is a user named `name`.
  [[nodiscard]] bool has(std::string_view name) const {
    return users_.find(name) != users_.end();
  }
  /// The secret of a user for one mechanism; null if there is no user named `name`.
  [[nodiscard]] const scram_secret* find(std::string_view name, digest_kind kind) const;

 private:
  struct secrets {
    scram_secret sha1;
    scram_secret sha256;
  };
  std::map<std::string, secrets, std::less<>> users_;
};

/// The server's side of one SCRAM conversation. The client sends a first message, a final
/// message and, without the option skipEmptyExchange, an empty message.
class scram_server {
 public:
  /// `known` must outlive this object. `nonce`: random text that is appended to the client's
  /// nonce.
  scram_server(const credentials& known, digest_kind kind, std::string nonce);

  /// Processes the client's next message, and returns the answer; std::nullopt if
  /// authentication has failed.
  [[nodiscard]] std::optional<std::string> step(std::string_view message);

  /// Whether the client has proven that it knows the password.
  [[nodiscard]] bool is_proven() const noexcept { return proven_; }
  /// The user's name; empty before the client's first message.
  [[nodiscard]] const std::string& user() const noexcept { return user_; }

 private:
  [[nodiscard]] std::optional<std::string> first(std::string_view message);
  [[nodiscard]] std::optional<std::string> final(std::string_view message);

  const credentials& known_;
  digest_kind kind_;
  std::string nonce_;
  std::string user_;
  std::string transcript_;  ///< the messages client-first-bare and server-first, as RFC 5802
                            ///< calls them
  bool begun_ = false;
  bool proven_ = false;
};

}  // namespace scattergate::sim
