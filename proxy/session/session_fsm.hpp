#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "proxy/judging/inspector.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/session/reply_side.hpp"
#include "proxy/session/request_side.hpp"

namespace scattergate::proxy {

/// The state machine of one client's connection. Decides which bytes to forward, to discard or
/// to wait for; has no sockets. Its two directions:
///
///     client ──► next_request ──► mongos     request_side:
///     need/forward/drop/wait/await/hold/close
///                     │  pending_queue
///     client ◄── next_reply ◄──── mongos     reply_side: need/forward/inject/close
///
/// Each function returns a `step`: what the caller must do with unread bytes, or wait for.
///
/// A request stays unread until it is complete (`need`). Then the inspector judges it, and it
/// is forwarded or dropped. Some requests are forwarded as they arrive: those that pass
/// uninspected, and large ones that are judged at their end. A large request may wait while
/// another thread decompresses and judges it (`await`). A throttled request waits until its
/// throttle admits it (`hold`); with settings::waits_for_catalog, each request waits until the
/// live catalog has been read again.
///
/// Replies are matched with their requests, and scanned while they are forwarded. A compressed
/// reply up to 64 KiB stays unread until it is complete; a larger one isn't scanned. A rejected
/// request waits in the queue, too. scattergate makes its reply, and injects it in the order of
/// the requests, between two of mongos's replies.
///
/// The fsm stops reading from a client that sends bytes that aren't a message, or a message
/// that must not be forwarded. Earlier requests are still answered. The connection ends when no
/// reply is outstanding.
class session_fsm {
 public:
  session_fsm(inspector& inspector, const inspected_connection& connection)
      : connection_(connection),
        pending_(connection.memory),
        replies_(inspector, connection_, pending_),
        requests_(inspector, connection_, pending_, replies_) {}
  session_fsm(const session_fsm&) = delete;
  session_fsm& operator=(const session_fsm&) = delete;

  /// The next step for the client's bytes. `unread`: the bytes that no earlier step has
  /// consumed.
  [[nodiscard]] step next_request(std::span<const std::byte> unread, clock::time_point now) {
    return requests_.next(unread, now);
  }

  /// The long work for the current request (decompressing or judging it), to run on another
  /// thread. The request's bytes must stay in place until on_awaited(). REQUIRES: the last
  /// step was `await`.
  [[nodiscard]] long_work& awaited() noexcept { return requests_.awaited(); }
  /// The next step after the work of awaited() has completed. Call it before the thread starts
  /// other work, which overwrites the result (see long_work::advance()).
  [[nodiscard]] step on_awaited(std::span<const std::byte> unread, clock::time_point now) {
    return requests_.on_awaited(unread, now);
  }

  /// Sets whether replies wait until the client reads them. While they wait, a throttled
  /// request takes no slot of its throttle, because its own reply would have to wait, too.
  void note_unsent_replies(bool are_there) noexcept {
    requests_.note_unsent_replies(are_there);
  }

  /// Whether the current request waits in the queue of a throttle.
  [[nodiscard]] bool is_held() const noexcept { return requests_.is_held(); }
  /// When to call this function again for the request that waits in the throttle's queue, or
  /// for the live catalog. std::nullopt: the wait has ended, call on_held() now. REQUIRES: the
  /// last step was `hold`.
  [[nodiscard]] std::optional<clock::time_point> held_until(clock::time_point now) const {
    return requests_.held_until(now);
  }
  /// The next step for a request whose wait has ended. Forwards a throttled request if the
  /// throttle has admitted it. Otherwise rejects it: it has waited too long, or another
  /// client's request has displaced it. Judges a request that has waited for the live catalog.
  [[nodiscard]] step on_held(std::span<const std::byte> unread, clock::time_point now) {
    return requests_.on_held(unread, now);
  }

  /// Call it if there is no memory for the bytes that next_request()'s last `need` step asks
  /// for. The fsm then decides on the request without reading it, and rejects a throttled
  /// request.
  void refuse_to_hold() noexcept { requests_.refuse_to_hold(); }
  /// Call it if there is no memory for the bytes that next_reply()'s last `need` step asks for.
  /// The reply is then forwarded without being scanned.
  void refuse_to_hold_reply() noexcept { replies_.refuse_to_hold(); }

  /// Stops reading requests, and discards an incomplete request. Once earlier requests are
  /// answered, closes the connection for the reason `why`. Later calls do nothing.
  void finish(telemetry::close_reason why, clock::time_point now) noexcept {
    requests_.finish(why, now);
  }
  /// When finish() was called, by the session or by the fsm itself; std::nullopt: not called.
  [[nodiscard]] std::optional<clock::time_point> finishing_since() const noexcept {
    return requests_.finishing_since();
  }
  /// The reason passed to finish(); `other` if finish() wasn't called.
  [[nodiscard]] telemetry::close_reason reason_or(
      telemetry::close_reason other) const noexcept {
    return requests_.reason_or(other);
  }

  /// The error in the client's bytes that ended the connection; std::nullopt if there is none.
  [[nodiscard]] std::optional<wire::wire_errc> broken_by_client() const noexcept {
    return requests_.broken_by();
  }
  /// The error in the bytes from mongos that ended the connection; std::nullopt if there is
  /// none.
  [[nodiscard]] std::optional<wire::wire_errc> broken_by_mongos() const noexcept {
    return replies_.broken_by();
  }

  /// The next step for mongos's bytes. `unread`: the bytes that no earlier step has consumed.
  [[nodiscard]] step next_reply(std::span<const std::byte> unread, clock::time_point now) {
    return replies_.next(unread, now);
  }

  /// Whether the client's next reply is scattergate's own reply to a rejected request. Then
  /// next_reply() needs no bytes from mongos.
  [[nodiscard]] bool has_injection() const noexcept { return replies_.has_injection(); }
  /// Whether next_request() could return something other than `wait`.
  [[nodiscard]] bool may_request() const noexcept { return requests_.may_go_on(); }

  /// The number of requests that were forwarded or rejected. Includes the current request as
  /// soon as its first bytes are forwarded or discarded.
  [[nodiscard]] std::uint64_t requests_seen() const noexcept { return requests_.seen(); }

  /// When the client began to wait for the reply to its oldest pending request. std::nullopt if
  /// no request is pending, or if the oldest one may stay unanswered. Also std::nullopt if it
  /// may wait for something to happen: a hello that isn't the connection's first request, for
  /// topology changes; a getMore, for new data. While inspection is off, a request that allows
  /// several replies (exhaust) counts as a hello.
  [[nodiscard]] std::optional<clock::time_point> awaits_reply_since() const noexcept {
    const pending_request* const first = pending_.first();
    if (first == nullptr || first->may_stay_unanswered) return std::nullopt;
    if (first->is_hello() && requests_.seen() > 1) return std::nullopt;
    if (first->is_unread && first->may_stream) return std::nullopt;
    if (first->command == routing::command_kind::get_more) return std::nullopt;
    return first->sent;
  }

  /// Whether the client has sent only complete messages so far. `unread`: the number of the
  /// client's bytes that no step has consumed.
  [[nodiscard]] bool is_between_requests(std::size_t unread) const noexcept {
    return unread == 0 && requests_.is_between();
  }
  /// Whether mongos has sent only complete messages so far.
  [[nodiscard]] bool is_between_replies() const noexcept { return replies_.is_between(); }
  /// Whether closing the connection loses nothing: both directions are between messages, and no
  /// reply is outstanding except to a hello that waits for topology changes. `unread_requests`:
  /// the number of the client's bytes that no step has consumed.
  [[nodiscard]] bool is_idle(std::size_t unread_requests) const noexcept;
  /// Whether a driver's monitor uses the connection: a hello is pending, and waits for
  /// topology changes. REQUIRES: is_idle().
  [[nodiscard]] bool serves_monitor() const noexcept { return !pending_.is_empty(); }
  /// Whether the last reply to a command with a cursor left the cursor open, so that a getMore
  /// is likely. False after a killCursors.
  [[nodiscard]] bool has_open_cursor() const noexcept { return replies_.has_open_cursor(); }

  /// Call it when the connection has ended. Counts the unanswered requests; skips a request if
  /// there is no memory for its counters.
  void end(clock::time_point now) noexcept;

 private:
  inspected_connection connection_;
  pending_queue pending_;
  reply_side replies_;
  request_side requests_;
};

}  // namespace scattergate::proxy
