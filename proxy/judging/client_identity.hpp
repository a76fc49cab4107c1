#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/network.hpp"
#include "proxy/judging/identity_claim.hpp"
#include "telemetry/shapes/shape_table.hpp"
#include "wire/command.hpp"
#include "wire/reply_scan.hpp"

namespace scattergate::proxy {

/// The identity of a client: its user, confirmed by mongos, and the application and driver in
/// its hello. A request only claims an identity; mongos's reply to that request confirms or
/// rejects the claim:
///
///   - only the first hello that mongos accepts counts, as in mongos itself
///   - a SASL exchange is identified by the conversationId in the reply to its start; the user
///     is that of the exchange that succeeds, even if others were begun meanwhile
///   - mongos up to 5.0 allows one user per database on a connection; `user` is the one
///     confirmed last. Since 6.0 there is one, and a second is rejected
///   - a logout applies to one database
///
/// A message that can't be read or has no reply may start or end a SASL exchange that this
/// class doesn't see. So it starts a new epoch. An exchange from an earlier epoch confirms no
/// user name, because another exchange may have replaced it.
///
/// Memory is bounded by the constants below. Thread-safety: the worker's thread.
class client_identity {
 public:
  /// The maximum number of pending claims that store their names.
  static constexpr std::size_t max_claims = 8;
  /// The maximum number of SASL exchanges in progress.
  static constexpr std::size_t max_conversations = 4;
  /// The maximum number of users authenticated at the same time.
  static constexpr std::size_t max_accounts = 4;

  explicit client_identity(std::string remote)
      : remote_(std::move(remote)), address_(net::parse_ip_address(remote_)) {}

  /// The claim of a forwarded command; null if its reply won't change the identity. REQUIRES:
  /// is_about_client(kind).
  [[nodiscard]] std::unique_ptr<identity_claim> claim(const wire::command& command,
                                                      routing::command_kind kind);

  /// The claim of a forwarded message that can't be read and may contain any command.
  [[nodiscard]] std::unique_ptr<identity_claim> claim_unread();

  /// Makes the identity unknown from now on, because messages pass uninspected.
  void make_unknown() noexcept;

  /// Confirms or rejects a claim by the reply to its request. `reply`: null if there was none.
  void settle(identity_claim& claim, const wire::reply_facts* reply);

  /// Whether a pending reply may change who the client is.
  [[nodiscard]] bool has_pending_claims() const noexcept { return under_way_ != 0; }

  /// The client's address without its port, as text; "unix" for a Unix socket.
  [[nodiscard]] const std::string& remote() const noexcept { return remote_; }
  /// The application name from the accepted hello; empty if none was given.
  [[nodiscard]] const std::string& app() const noexcept { return app_; }
  /// The confirmed user; empty if there is none or its mechanism doesn't reveal the name.
  [[nodiscard]] std::string_view user() const noexcept {
    return accounts_.empty() ? std::string_view{} : accounts_.back().name;
  }

  /// The client's address; null: a Unix socket.
  [[nodiscard]] const net::ip_address* address() const noexcept {
    return address_ ? &*address_ : nullptr;
  }

  /// Whether the client is a stranger: it hasn't authenticated, and no command on a collection
  /// has succeeded. Strangers have lower limits, so that they can't crowd out known clients.
  [[nodiscard]] bool is_stranger() const noexcept {
    return !has_authenticated_ && !has_succeeded_;
  }
  /// Call it when a command on a collection has succeeded: the client is no stranger any more.
  void note_success() noexcept { has_succeeded_ = true; }

  /// A view of this client as a caller, with the comment of one command. Valid until the
  /// identity changes; `comment` must outlive it.
  [[nodiscard]] telemetry::caller_view as_caller(std::string_view comment) const noexcept {
    return {app_, driver_, user(), remote_, comment};
  }
  /// The cached hash of as_caller({}); 0: call compute_known_as() first.
  [[nodiscard]] std::uint64_t known_as() const noexcept { return known_as_; }
  /// Computes the hash that known_as() returns. A change of identity resets it to 0.
  void compute_known_as() noexcept { known_as_ = telemetry::known_as(as_caller({})); }

 private:
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
  std::vector<account> accounts_;            // the last confirmed one is `user`
  std::vector<conversation> conversations_;  // releases its memory once all have ended
  std::uint32_t epoch_ = 0;
  std::uint32_t logged_out_at_ = 0;  // the epoch of the last logout without a reply
  // Last, because every command reads it: see session.
  std::uint64_t known_as_ = 0;  // as a caller; 0: must be recomputed
  std::uint32_t under_way_ = 0;
  bool has_been_greeted_ = false;
  bool has_authenticated_ = false;
  bool is_untracked_ = false;
  bool has_succeeded_ = false;
};

}  // namespace scattergate::proxy
