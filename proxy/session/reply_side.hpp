#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "proxy/judging/inspector.hpp"
#include "proxy/judging/pending_queue.hpp"
#include "proxy/session/step.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// The part of session_fsm (a connection's state machine) that handles replies. Matches
/// mongos's replies with the pending requests, which await them. Injects scattergate's own
/// replies to rejected requests.
class reply_side {
 public:
  reply_side(inspector& inspector, const inspected_connection& connection,
             pending_queue& pending) noexcept
      : inspector_(inspector), connection_(connection), pending_(pending) {}

  /// The next step (what to do) for `unread`, the bytes from mongos that no earlier step has
  /// consumed.
  [[nodiscard]] step next(std::span<const std::byte> unread, clock::time_point now);
  /// Whether the client's next reply is scattergate's own reply to a rejected request. Then
  /// next() needs no bytes from mongos.
  [[nodiscard]] bool has_injection() const noexcept;
  /// Call it if there is no memory for the bytes that the last `need` step asks for. The
  /// current reply is then forwarded without being scanned.
  void refuse_to_hold() noexcept { holding_refused_ = true; }

  /// Whether mongos's stream is between two messages: no reply is partly forwarded or held.
  [[nodiscard]] bool is_between() const noexcept { return rest_ == 0 && !is_holding_; }
  /// Whether a reply is partly forwarded or held, or a pending request awaits its first reply.
  [[nodiscard]] bool has_pending() const noexcept;
  /// Whether the last reply to a command with a cursor left the cursor open, so that a getMore
  /// is likely. False after a killCursors.
  [[nodiscard]] bool has_open_cursor() const noexcept { return has_open_cursor_; }
  /// The error in the bytes from mongos that ended the connection; std::nullopt if there is
  /// none.
  [[nodiscard]] std::optional<wire::wire_errc> broken_by() const noexcept { return broken_by_; }

  /// Removes the oldest pending request and counts it as completed. `completed`: how it ended.
  /// REQUIRES: a request is pending.
  void settle_front(const completion& completed);

 private:
  [[nodiscard]] step inject_rejection(clock::time_point now);
  [[nodiscard]] step begin_reply(const wire::message_header& header,
                                 std::span<const std::byte> unread, clock::time_point now);
  void scan_reply(const wire::message_header& header, std::span<const std::byte> start);
  void scan_message(const wire::message_header& header, std::span<const std::byte> start);
  void match_reply(const wire::message_header& header, clock::time_point now);
  void finish_reply(clock::time_point now);

  inspector& inspector_;
  const inspected_connection& connection_;
  pending_queue& pending_;
  std::vector<std::byte> injecting_;  ///< the reply of the last `inject` step
  std::optional<wire::wire_errc> broken_by_;
  std::uint32_t rest_ = 0;     ///< bytes of the current reply still to come
  std::int32_t id_ = 0;        ///< the current reply's requestID
  bool is_holding_ = false;    ///< a compressed reply has begun to arrive, and is held until
                               ///< it is complete
  bool is_read_ = false;       ///< the current reply is uncompressed, or was decompressed
  bool awaits_facts_ = false;  ///< the current reply must be scanned completely, not only its
                               ///< flags
  bool is_matched_ = false;    ///< the current reply answers the first pending request
  bool holding_refused_ = false;  ///< refuse_to_hold() was called for the next reply
  bool has_open_cursor_ = false;
};

}  // namespace scattergate::proxy
