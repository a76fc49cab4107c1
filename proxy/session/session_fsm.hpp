#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "proxy/judging/inspector.hpp"
#include "proxy/judging/pending_queue.hpp"
#include "proxy/session/reply_side.hpp"
#include "proxy/session/request_side.hpp"
#include "proxy/session/step.hpp"

namespace scattergate::proxy {

/// The protocol of one client's connection, without sockets:
///
///     client ──► next_request ──► mongos     request_side:
///     need/forward/drop/wait/await/hold/close
///                     │  pending_queue
///     client ◄── next_reply ◄──── mongos     reply_side: need/forward/inject/close
///
/// Requests are framed, held until complete (unless they pass uninspected or are streamed),
/// judged by the inspector, and forwarded or dropped. A large request waits while another
/// thread unpacks and judges it; a throttled one waits until it is admitted. Replies are
/// framed, matched with their requests, and scanned as they stream through. A compressed reply
/// is held until complete if it fits into a block; otherwise it isn't scanned. A rejected
/// request waits in the queue like any other and is answered in request order, between replies,
/// never inside one.
///
/// If the client's bytes can't be forwarded (they aren't a message, or must not pass), earlier
/// requests are still answered: nothing more is read from the client, and the connection ends
/// when no reply is outstanding.
class session_fsm {
 public:
  session_fsm(inspector& inspector, const inspected_connection& connection)
      : connection_(connection),
        pending_(connection.memory),
        replies_(inspector, connection_, pending_),
        requests_(inspector, connection_, pending_, replies_) {}
  session_fsm(const session_fsm&) = delete;
  session_fsm& operator=(const session_fsm&) = delete;

  /// The next step for `unread`, the client's bytes that no earlier step has consumed.
  [[nodiscard]] step next_request(std::span<const std::byte> unread, clock::time_point now) {
    return requests_.next(unread, now);
  }

  /// The work for the current request, to run on another thread. Its unread bytes must stay in
  /// place meanwhile.
  [[nodiscard]] long_work& awaited() noexcept { return requests_.awaited(); }
  /// The next step after awaited() has completed. Call it while that work's result is still
  /// valid.
  [[nodiscard]] step on_over(std::span<const std::byte> unread, clock::time_point now) {
    return requests_.on_over(unread, now);
  }

  /// Sets whether some replies wait for the client to read them. Meanwhile a throttled request
  /// takes no slot, because its reply would wait behind them.
  void note_unsent_replies(bool are_there) noexcept {
    requests_.note_unsent_replies(are_there);
  }

  /// Whether the current request waits for a throttle.
  [[nodiscard]] bool is_held() const noexcept { return requests_.is_held(); }
  /// When to check the throttle again; std::nullopt if on_held() should be called now.
  /// REQUIRES: is_held().
  [[nodiscard]] std::optional<clock::time_point> held_until(clock::time_point now) const {
    return requests_.held_until(now);
  }
  /// The next step of a throttled request: goes on with it, or answers it with an error.
  [[nodiscard]] step on_held(std::span<const std::byte> unread, clock::time_point now) {
    return requests_.on_held(unread, now);
  }

  /// The message of the last `need` can't be held: forward it unread.
  void refuse_to_hold() noexcept { requests_.refuse_to_hold(); }
  /// The reply of the last `need` can't be held: forward it unread.
  void refuse_to_hold_reply() noexcept { replies_.refuse_to_hold(); }

  /// Reads nothing more from the client, and ends the connection with `why` once earlier
  /// requests are answered. Discards an incomplete request.
  void finish(telemetry::close_reason why, clock::time_point now) noexcept {
    requests_.finish(why, now);
  }
  /// Since when it only waits for outstanding replies; std::nullopt if it doesn't.
  [[nodiscard]] std::optional<clock::time_point> finishing_since() const noexcept {
    return requests_.finishing_since();
  }
  /// Why it will end, if it only waits for outstanding replies; else `other`.
  [[nodiscard]] telemetry::close_reason reason_or(
      telemetry::close_reason other) const noexcept {
    return requests_.reason_or(other);
  }

  /// What was wrong with the client's, or mongos's, bytes, if that ended the connection.
  [[nodiscard]] std::optional<wire::wire_errc> broken_by_client() const noexcept {
    return requests_.broken_by();
  }
  [[nodiscard]] std::optional<wire::wire_errc> broken_by_mongos() const noexcept {
    return replies_.broken_by();
  }

  /// The next step for `unread`, mongos's bytes that no earlier step has consumed.
  [[nodiscard]] step next_reply(std::span<const std::byte> unread, clock::time_point now) {
    return replies_.next(unread, now);
  }

  /// Whether the next reply is one of ours, ready to be injected without any byte from mongos.
  [[nodiscard]] bool has_injection() const noexcept { return replies_.has_injection(); }
  /// Whether next_request() could return something other than `wait`.
  [[nodiscard]] bool may_request() const noexcept { return requests_.may_go_on(); }

  /// The number of requests forwarded, completely or in part.
  [[nodiscard]] std::uint64_t requests_seen() const noexcept { return requests_.seen(); }

  /// Since when the client has waited for the reply to its oldest request; std::nullopt if it
  /// waits for none, or only for news: a hello other than the first, which waits for no news.
  [[nodiscard]] std::optional<clock::time_point> awaits_reply_since() const noexcept {
    const pending_request* const first = pending_.first();
    if (first == nullptr || first->may_stay_unanswered) return std::nullopt;
    if (first->is_hello() && requests_.seen() > 1) return std::nullopt;
    return first->sent;
  }

  /// Whether the client's bytes end between two messages; `unread`: the number of bytes not
  /// consumed.
  [[nodiscard]] bool is_between_requests(std::size_t unread) const noexcept {
    return unread == 0 && requests_.is_between();
  }
  /// Whether closing the connection would lose nothing: it is between messages in both
  /// directions, and expects no reply but that of a waiting hello.
  [[nodiscard]] bool is_idle(std::size_t unread_requests) const noexcept;
  /// For an idle connection: whether a hello waits on it, as a driver's monitor sends one.
  [[nodiscard]] bool awaits_news() const noexcept { return !pending_.is_empty(); }
  /// Whether the last reply with a cursor left it open, so that a getMore is likely.
  [[nodiscard]] bool has_open_cursor() const noexcept { return replies_.has_open_cursor(); }

  /// The connection has ended: counts the requests that will never be answered, as far as there
  /// is memory.
  void end(clock::time_point now) noexcept;

 private:
  inspected_connection connection_;
  pending_queue pending_;
  reply_side replies_;
  request_side requests_;
};

}  // namespace scattergate::proxy
