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

/// The protocol of one client's connection, without a socket:
///
///     client ──► next_request ──► mongos     request_side:
///     need/forward/drop/wait/await/hold/close
///                     │  pending_queue
///     client ◄── next_reply ◄──── mongos     reply_side: need/forward/inject/close
///
/// Requests are framed, held until they are whole (unless they are passed on unread, or
/// followed while they pass), judged by the inspector and forwarded or dropped. A large one is
/// unpacked and judged by another thread, for which it waits; one that a rule throttles waits
/// until it is let on. Replies are framed, matched with their requests and scanned as they
/// stream through; a compressed one is held until it is whole where it fits into a block, else
/// nothing is learned from it. A rejected request waits in the queue like any other and is
/// answered when its turn comes: in request order, between replies, never inside one.
///
/// Where the client's bytes can't go on (they are no message, or one that must not pass), what
/// was asked before is answered before: nothing more is taken from the client, and the
/// connection ends once no reply is owed any more.
class session_fsm {
 public:
  session_fsm(inspector& inspector, const inspected_connection& connection)
      : connection_(connection),
        pending_(connection.memory),
        replies_(inspector, connection_, pending_),
        requests_(inspector, connection_, pending_, replies_) {}
  session_fsm(const session_fsm&) = delete;
  session_fsm& operator=(const session_fsm&) = delete;

  /// What to do with `unread`, the bytes from the client that no earlier step has consumed.
  [[nodiscard]] step next_request(std::span<const std::byte> unread, clock::time_point now) {
    return requests_.next(unread, now);
  }

  /// What is to be done for the request in hand, by another thread. The unread bytes stay where
  /// they are until then.
  [[nodiscard]] long_work& awaited() noexcept { return requests_.awaited(); }
  /// Goes on with it, while what came of that can be read.
  [[nodiscard]] step on_over(std::span<const std::byte> unread, clock::time_point now) {
    return requests_.on_over(unread, now);
  }

  /// Whether replies, or parts of them, wait for the client to take them. Until it has, a
  /// request that is throttled takes no slot: the reply to it would wait behind them.
  void note_unsent_replies(bool are_there) noexcept {
    requests_.note_unsent_replies(are_there);
  }

  /// Whether the request in hand waits for a throttle to let it on.
  [[nodiscard]] bool is_held() const noexcept { return requests_.is_held(); }
  /// When to ask again; nothing where on_held() is to be called now. REQUIRES: is_held().
  [[nodiscard]] std::optional<clock::time_point> held_until(clock::time_point now) const {
    return requests_.held_until(now);
  }
  /// Goes on with it, or answers it with an error.
  [[nodiscard]] step on_held(std::span<const std::byte> unread, clock::time_point now) {
    return requests_.on_held(unread, now);
  }

  /// The message that the last `need` asked for can't be held: let it pass unread.
  void refuse_to_hold() noexcept { requests_.refuse_to_hold(); }
  /// The same of a reply.
  void refuse_to_hold_reply() noexcept { replies_.refuse_to_hold(); }

  /// Takes nothing more from the client, and ends the connection for `why` once what was asked
  /// before is answered. What has come of an unfinished request is forgotten.
  void finish(telemetry::close_reason why, clock::time_point now) noexcept {
    requests_.finish(why, now);
  }
  /// Since when it only waits for what is owed; nothing where it doesn't.
  [[nodiscard]] std::optional<clock::time_point> finishing_since() const noexcept {
    return requests_.finishing_since();
  }
  /// Why it will end, where it only waits for what is owed; else `other`.
  [[nodiscard]] telemetry::close_reason reason_or(
      telemetry::close_reason other) const noexcept {
    return requests_.reason_or(other);
  }

  /// What was wrong with the client's bytes, or mongos's, where that has ended it.
  [[nodiscard]] std::optional<wire::wire_errc> broken_by_client() const noexcept {
    return requests_.broken_by();
  }
  [[nodiscard]] std::optional<wire::wire_errc> broken_by_mongos() const noexcept {
    return replies_.broken_by();
  }

  /// What to do with `unread`, the bytes from mongos that no earlier step has consumed.
  [[nodiscard]] step next_reply(std::span<const std::byte> unread, clock::time_point now) {
    return replies_.next(unread, now);
  }

  /// Whether the next reply is ours to inject now, without any byte from mongos.
  [[nodiscard]] bool has_injection() const noexcept { return replies_.has_injection(); }
  /// Whether next_request() has more to say than that it waits.
  [[nodiscard]] bool may_request() const noexcept { return requests_.may_go_on(); }

  /// How many requests have been passed on, or have begun to be.
  [[nodiscard]] std::uint64_t requests_seen() const noexcept { return requests_.seen(); }

  /// Since when the client waits for the reply to its oldest request; nothing where it waits
  /// for none, or only for mongos to have news: a hello, but the first, which awaits none.
  [[nodiscard]] std::optional<clock::time_point> awaits_reply_since() const noexcept {
    const pending_request* const first = pending_.first();
    if (first == nullptr || first->may_stay_unanswered) return std::nullopt;
    if (first->is_hello() && requests_.seen() > 1) return std::nullopt;
    return first->sent;
  }

  /// Whether the client's bytes end between two messages, `unread` being what is left of them.
  [[nodiscard]] bool is_between_requests(std::size_t unread) const noexcept {
    return unread == 0 && requests_.is_between();
  }
  /// Whether nobody would miss the connection: between messages both ways, and no reply
  /// expected but that of a waiting hello.
  [[nodiscard]] bool is_idle(std::size_t unread_requests) const noexcept;
  /// Of an idle connection: whether a waiting hello is on it, as a driver's monitor sends one.
  [[nodiscard]] bool awaits_news() const noexcept { return !pending_.is_empty(); }
  /// Whether the last reply with a cursor in it left one open: more of it is likely asked for.
  [[nodiscard]] bool has_open_cursor() const noexcept { return replies_.has_open_cursor(); }

  /// The connection has ended: counts what will never be answered, as far as there is memory
  /// for it.
  void end(clock::time_point now) noexcept;

 private:
  inspected_connection connection_;
  pending_queue pending_;
  reply_side replies_;
  request_side requests_;
};

}  // namespace scattergate::proxy
