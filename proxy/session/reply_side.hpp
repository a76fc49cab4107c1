#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "proxy/judging/inspector.hpp"
#include "proxy/judging/pending_request.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// An instruction of session_fsm (a connection's state machine) to its session, for one
/// direction: what to do with the unread bytes, or what to wait for. Small enough to be
/// returned in two registers.
struct step {
  /// What the session must do.
  enum class verb : std::uint8_t {
    need,     ///< wait until there are `bytes` unread bytes, then ask for the next step
    forward,  ///< send the first `bytes` unread bytes to the other socket
    drop,     ///< discard the first `bytes` unread bytes
    inject,   ///< send injected() to the client, then ask for the next step (replies only)
    wait,     ///< wait until a reply has arrived, then ask for the next step (requests only)
    await,    ///< run session_fsm::awaited() on another thread, then call on_awaited()
              ///< (requests only)
    hold,     ///< wait for the throttle, or for the live catalog: call on_held() once
              ///< session_fsm::held_until() returns std::nullopt (requests only)
    close,    ///< close the connection for `reason`
  };
  verb what = verb::need;            ///< what the session must do
  telemetry::close_reason reason{};  ///< for `close`
  std::uint32_t bytes = 0;           ///< for `need`, `forward`, `drop`: see `verb`; for
                                     ///< `inject`: the size of injected()
  const std::byte* first_injected = nullptr;  ///< for `inject`: the start of injected(); not
                                              ///< owned

  /// For `inject`: scattergate's own reply, valid until the fsm injects the next one.
  [[nodiscard]] constexpr std::span<const std::byte> injected() const noexcept {
    return {first_injected, first_injected == nullptr ? 0 : bytes};
  }

  [[nodiscard]] static constexpr step need(std::size_t bytes) noexcept {
    return {verb::need, {}, static_cast<std::uint32_t>(bytes)};
  }
  [[nodiscard]] static constexpr step forward(std::size_t bytes) noexcept {
    return {verb::forward, {}, static_cast<std::uint32_t>(bytes)};
  }
  [[nodiscard]] static constexpr step drop(std::size_t bytes) noexcept {
    return {verb::drop, {}, static_cast<std::uint32_t>(bytes)};
  }
  [[nodiscard]] static constexpr step inject(std::span<const std::byte> message) noexcept {
    return {verb::inject, {}, static_cast<std::uint32_t>(message.size()), message.data()};
  }
  [[nodiscard]] static constexpr step wait() noexcept { return {verb::wait}; }
  [[nodiscard]] static constexpr step hold() noexcept { return {verb::hold}; }
  [[nodiscard]] static constexpr step await() noexcept { return {verb::await}; }
  [[nodiscard]] static constexpr step close_for(telemetry::close_reason reason) noexcept {
    return {verb::close, reason};
  }
};
static_assert(sizeof(step) == 16);

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
