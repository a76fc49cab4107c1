#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "routing/command_kind.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// A user, who is authenticated on one database. An empty `name` means that the user's name is
/// unknown.
struct account {
  std::string name;      ///< the user's name; empty: unknown
  std::string database;  ///< the database that authenticates the user, such as "admin"
  /// scattergate couldn't read the exchange, so the user may be any.
  bool is_unseen = false;
};

/// The identity that a request claims for its client. Stored with the request until mongos's
/// reply confirms or rejects it.
struct identity_claim {
  /// The request's role in identifying the client.
  enum class step : std::uint8_t {
    greet,         ///< hello or isMaster, with or without speculative authentication
    start,         ///< saslStart
    go_on,         ///< saslContinue
    authenticate,  ///< the command `authenticate`: X.509, in one step
    log_out,       ///< logout
    unread,        ///< an unreadable message, which may be any of the other steps
  };

  step what{};                    ///< the request's role
  step begins = step::greet;      ///< for `greet`: the step that the hello includes by its
                                  ///< speculativeAuthenticate, `start` or `authenticate`;
                                  ///< `greet` if it includes none
  bool is_counted = false;        ///< client_identity counts this claim as pending
  std::int64_t conversation = 0;  ///< go_on: the `conversationId`
  std::uint32_t epoch = 0;  ///< client_identity's epoch when the request was sent: the number
                            ///< of earlier messages that may have changed the user unseen
  account who;              ///< start, authenticate, greet that begins one of them: the user;
                            ///< go_on, log_out: the database only
  std::string app;          ///< greet: `client.application.name`
  std::string driver;       ///< greet: the driver's name and version, "PyMongo 4.10.1"

  /// The claim's memory, in bytes.
  [[nodiscard]] std::size_t footprint_bytes() const noexcept {
    return sizeof *this + who.name.capacity() + who.database.capacity() + app.capacity() +
           driver.capacity();
  }
};

/// Whether commands of this kind may change the client's identity.
[[nodiscard]] constexpr bool is_about_client(routing::command_kind kind) noexcept {
  using enum routing::command_kind;
  return kind == hello || kind == is_master || kind == authenticate || kind == sasl_start ||
         kind == sasl_continue || kind == logout;
}

/// Reads the identity that a command claims. REQUIRES: is_about_client(kind). Allocates.
[[nodiscard]] std::unique_ptr<identity_claim> read_claim(const wire::command& command,
                                                         routing::command_kind kind);

}  // namespace scattergate::proxy
