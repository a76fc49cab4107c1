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

/// Who is at the other end of a client's connection: its user as mongos has confirmed it, its
/// application and driver as the hello says that mongos took them from. Each claim waits with
/// its request, and only the reply to that request settles it:
///
///   - of several hellos the first that mongos accepts counts, as for mongos itself
///   - a SASL exchange is known by the conversationId of its start's reply; the exchange that
///     ends well is the one whose user is there, whatever others were begun meanwhile
///   - a mongos up to 5.0 lets a connection have several users, one per database: the one
///     confirmed last is `user`; since 6.0 there is one, and a second is refused
///   - logging out is of one database
///
/// What may have begun or ended something without telling us (a message that can't be read, one
/// without a reply) begins an epoch: a conversation from before it can have been taken over,
/// and confirms nobody by name.
///
/// Bounded, whatever the client sends: see the constants.
class client_identity {
 public:
  /// Claims under way that keep the names they claim; exchanges begun; users at once.
  static constexpr std::size_t max_claims = 8;
  static constexpr std::size_t max_conversations = 4;
  static constexpr std::size_t max_accounts = 4;

  explicit client_identity(std::string remote)
      : remote_(std::move(remote)), address_(net::parse_ip_address(remote_)) {}

  /// What a command that goes on to mongos claims; null where its reply will settle nothing.
  /// REQUIRES: is_about_client(kind).
  [[nodiscard]] std::unique_ptr<identity_claim> claim(const wire::command& command,
                                                      routing::command_kind kind);

  /// Takes note that a message goes on to mongos in which any command may be. Its claim.
  [[nodiscard]] std::unique_ptr<identity_claim> claim_unread();

  /// Takes note that messages pass without a look: who is there can't be told any more.
  void lose_sight() noexcept;

  /// The end of a claim: the reply to its request, null where none came.
  void settle(identity_claim& claim, const wire::reply_facts* reply);

  /// Whether a reply is due that may tell who the next command is from.
  [[nodiscard]] bool is_being_settled() const noexcept { return under_way_ != 0; }

  [[nodiscard]] const std::string& remote() const noexcept { return remote_; }
  [[nodiscard]] const std::string& app() const noexcept { return app_; }
  /// Empty where nobody has been confirmed, or by a mechanism that doesn't show who it is.
  [[nodiscard]] std::string_view user() const noexcept {
    return accounts_.empty() ? std::string_view{} : accounts_.back().name;
  }

  /// Where it is; null: by a Unix socket.
  [[nodiscard]] const net::ip_address* address() const noexcept {
    return address_ ? &*address_ : nullptr;
  }

  /// Whether nothing speaks for it: it hasn't authenticated, and mongos has answered none of
  /// its commands on a collection well. A stranger takes no place that others need.
  [[nodiscard]] bool is_stranger() const noexcept {
    return !has_authenticated_ && !was_answered_well_;
  }
  /// mongos has answered a command on a collection well.
  void answered_well() noexcept { was_answered_well_ = true; }

  [[nodiscard]] telemetry::caller_view as_caller(std::string_view comment) const noexcept {
    return {app_, driver_, user(), remote_, comment};
  }
  /// What as_caller() is known as, without a comment; 0: it isn't yet.
  [[nodiscard]] std::uint64_t known_as() const noexcept { return known_as_; }
  /// From now on, until it changes.
  void be_known() noexcept { known_as_ = telemetry::known_as(as_caller({})); }

 private:
  /// A SASL exchange that has begun and not ended.
  struct conversation {
    std::int64_t id = 0;
    std::uint32_t epoch = 0;
    account who;
  };

  void greeted(identity_claim& claim, const wire::reply_facts& reply);
  void started(identity_claim& claim, const wire::reply_facts& reply);
  void went_on(identity_claim& claim, const wire::reply_facts& reply);
  void confirm(account who, const identity_claim& by);
  void log_out(std::string_view database) noexcept;
  void forget_conversation(std::int64_t id) noexcept;

  std::string remote_;
  std::optional<net::ip_address> address_;
  std::string app_;
  std::string driver_;
  std::vector<account> accounts_;            // the last one confirmed is `user`
  std::vector<conversation> conversations_;  // no memory once all have ended
  std::uint32_t epoch_ = 0;
  std::uint32_t logged_out_at_ = 0;  // the epoch of the last logout without a reply
  // What every command looks at comes last: see session.
  std::uint64_t known_as_ = 0;  // as a caller; 0: to be found anew
  std::uint32_t under_way_ = 0;
  bool has_been_greeted_ = false;
  bool has_authenticated_ = false;
  bool is_out_of_sight_ = false;
  bool was_answered_well_ = false;
};

}  // namespace scattergate::proxy
