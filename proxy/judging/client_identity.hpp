#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/network.hpp"
#include "routing/command_kind.hpp"
#include "telemetry/shapes/shape_table.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"
#include "wire/reply_scan.hpp"

namespace scattergate::proxy {

/// The replica set's name (`setName`) in the reply to a hello. A name means that the server
/// isn't a mongos. std::nullopt if the reply has no such name or can't be read. `message`: the
/// complete reply.
[[nodiscard]] std::optional<std::string> replica_set_of(const wire::message_header& header,
                                                        std::span<const std::byte> message);

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

/// The maximum length of a user name, in bytes. A longer name counts as empty.
inline constexpr std::size_t max_user_bytes = 256;

/// The user name in a saslStart, or in a hello's `speculativeAuthenticate`. Parsed as mongos
/// parses it, for SCRAM-SHA-1, SCRAM-SHA-256 and PLAIN. Empty if there is no user name, or for
/// other mechanisms: GSSAPI, MONGODB-AWS and MONGODB-OIDC don't reveal the user in this
/// command. Stores no other part of the payload, so not PLAIN's password. Allocates.
[[nodiscard]] std::string user_of_sasl_start(wire::document_view start);

/// The identity of a client: the user, whom mongos has confirmed, and the application and
/// driver in the client's hello. A request only claims an identity. mongos's reply to that
/// request confirms or rejects the claim:
///
///   - as in mongos, only the first accepted hello names the application and driver
///   - a SASL exchange is identified by the conversationId in the reply to its start; the
///     exchange that succeeds determines the user, even if the client has started others since
///   - mongos up to 5.0 allows one user per database on a connection; user() is the user that
///     mongos confirmed last. Since 6.0, mongos allows one user per connection
///   - a logout applies to one database
///
/// This class can't see a SASL exchange in a message that can't be read or has no reply. Each
/// message that may have changed the user unseen increments a number, the epoch. Each exchange
/// that the class sees stores the epoch in which it began. If an exchange from an earlier epoch
/// succeeds, the client counts as authenticated, but the user's name is then unknown: the
/// unseen exchange may have set another user.
///
/// Memory is bounded by the constants below. Thread-safety: the worker's thread.
class client_identity {
 public:
  /// The maximum number of pending claims that store names. (A claim is the identity in a
  /// request whose reply may change the client's identity.) The names of further claims are
  /// empty.
  static constexpr std::size_t max_claims = 8;
  /// The maximum number of SASL exchanges in progress; a further one replaces the oldest.
  static constexpr std::size_t max_conversations = 4;
  /// The maximum number of users authenticated at the same time; a further one replaces the
  /// oldest.
  static constexpr std::size_t max_accounts = 4;

  /// `remote`: the client's address without the port, as text; "unix" for a Unix socket.
  explicit client_identity(std::string remote)
      : remote_(std::move(remote)), address_(net::parse_ip_address(remote_)) {}

  /// Reads the identity that a command claims. Call it when the command is forwarded, and pass
  /// the result to settle() when the reply has arrived. Null if the client expects no reply, or
  /// if the reply won't change the identity. REQUIRES: is_about_client(kind).
  [[nodiscard]] std::unique_ptr<identity_claim> claim(const wire::command& command,
                                                      routing::command_kind kind);

  /// The claim of an unreadable message, which may contain any command. Call it when the
  /// message is forwarded, and pass the result to settle() when the reply has arrived.
  [[nodiscard]] std::unique_ptr<identity_claim> claim_unread();

  /// Makes the user unknown from now on. Call it when inspection is off.
  void make_unknown() noexcept;

  /// Confirms or rejects a request's claim by mongos's reply to the request. `reply`: null if
  /// there was no reply; the claim is then dropped.
  void settle(identity_claim& claim, const wire::reply_facts* reply);

  /// Whether a claim() waits for its reply, which may change the client's identity. Ignores the
  /// claims of unreadable messages.
  [[nodiscard]] bool has_pending_claims() const noexcept { return under_way_ != 0; }

  /// The client's address without its port, as text; "unix" for a Unix socket.
  [[nodiscard]] const std::string& remote() const noexcept { return remote_; }
  /// The application name from the accepted hello; empty if none was given.
  [[nodiscard]] const std::string& app() const noexcept { return app_; }
  /// The user that mongos confirmed last. Empty if there is none, or if the user's name is
  /// unknown.
  [[nodiscard]] std::string_view user() const noexcept {
    return accounts_.empty() ? std::string_view{} : accounts_.back().name;
  }

  /// Whether the user that mongos confirmed last may be any, because this class hasn't seen how
  /// the exchange began. False for a mechanism that doesn't show the name, such as GSSAPI.
  [[nodiscard]] bool may_be_any_user() const noexcept {
    return !accounts_.empty() && accounts_.back().is_unseen;
  }

  /// The client's address; null for a Unix socket.
  [[nodiscard]] const net::ip_address* address() const noexcept {
    return address_ ? &*address_ : nullptr;
  }

  /// Whether the client is a stranger: it hasn't authenticated, and none of its commands on a
  /// collection has succeeded. All other clients are known clients. Strangers have lower
  /// limits, so that they can't take resources away from known clients.
  [[nodiscard]] bool is_stranger() const noexcept {
    return !has_authenticated_ && succeeded_ == success::never;
  }
  /// Makes the client a known client. Call it when a command on a collection has succeeded.
  void note_success() noexcept { succeeded_ = success::lately; }
  /// Whether note_success() was called since the last call of this function.
  [[nodiscard]] bool take_success() noexcept {
    if (succeeded_ != success::lately) return false;
    succeeded_ = success::earlier;
    return true;
  }

  /// This client as a caller in the digest (the table of shapes). `comment`: the comment of the
  /// command that is counted. `test`: the running test. A view: valid while both are, and until
  /// the identity changes.
  [[nodiscard]] telemetry::caller_view as_caller(std::string_view comment,
                                                 std::string_view test = {}) const noexcept {
    return {app_, driver_, user(), remote_, comment, test};
  }
  /// The cached hash of this client as a caller without a comment. 0: not computed yet; call
  /// compute_known_as() first.
  [[nodiscard]] std::uint64_t known_as() const noexcept { return known_as_; }
  /// Computes the hash that known_as() returns. A change of identity resets it to 0.
  void compute_known_as() noexcept { known_as_ = telemetry::known_as(as_caller({})); }

 private:
  /// When note_success() was called. `earlier`: before the last take_success().
  enum class success : std::uint8_t { never, earlier, lately };

  /// A SASL exchange in progress.
  struct conversation {
    std::int64_t id = 0;
    std::uint32_t epoch = 0;
    account who;
  };

  void greeted(identity_claim& claim, const wire::reply_facts& reply);
  void started(identity_claim& claim, const wire::reply_facts& reply);
  void continued(identity_claim& claim, const wire::reply_facts& reply);
  void confirm(account who, const identity_claim& by);
  void log_out(std::string_view database) noexcept;
  void forget_conversation(std::int64_t id) noexcept;

  std::string remote_;
  std::optional<net::ip_address> address_;
  std::string app_;
  std::string driver_;
  std::vector<account> accounts_;            // the authenticated users, last confirmed one last
  std::vector<conversation> conversations_;  // has no memory if it is empty
  std::uint32_t epoch_ = 0;          // number of messages that may have changed the user unseen
  std::uint32_t logged_out_at_ = 0;  // the epoch of the last logout without a reply
  // Every command reads the following members. They are last so that a session's members that
  // every command uses are contiguous.
  std::uint64_t known_as_ = 0;      // 0: must be recomputed
  std::uint32_t under_way_ = 0;     // number of pending claims
  bool has_been_greeted_ = false;   // mongos has accepted a hello
  bool has_authenticated_ = false;  // at least once
  bool is_untracked_ = false;       // make_unknown() was called
  success succeeded_ = success::never;
};

}  // namespace scattergate::proxy
