#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proxy/judging/inspector.hpp"
#include "proxy/judging/pending_queue.hpp"
#include "wire/header.hpp"
#include "wire/reply_scan.hpp"

namespace scattergate::proxy {

/// What to do next with the unread bytes of one direction.
struct step {
  enum class verb : std::uint8_t {
    need,     ///< nothing until `bytes` are there; then ask again
    forward,  ///< pass the first `bytes` on to the other side
    drop,     ///< skip the first `bytes`
    inject,   ///< pass `injected` on to the client; then ask again (replies only)
    wait,     ///< nothing until a reply has come; then ask again (requests only)
    await,    ///< nothing until awaited() is over; then on_over() (requests only)
    close,    ///< end the connection for `reason`
  };
  verb what = verb::need;
  std::size_t bytes = 0;
  std::span<const std::byte> injected;
  telemetry::close_reason reason{};
};

/// The protocol of one client's connection, without a socket:
///
///     client ──► next_request ──► mongos          need/forward/drop/wait/await/close
///                     │  pending_queue
///     client ◄── next_reply ◄──── mongos          need/forward/inject/close
///
/// Requests are framed, held until they are whole (unless they are passed on unread, or
/// followed while they pass), judged by the inspector and forwarded or dropped. A large one is
/// unpacked and judged by another thread, for which it waits. Replies are framed, matched with their requests and scanned as they stream through; a compressed one is
/// held until it is whole where it fits into a block, else nothing is learned from it. A
/// rejected request waits in the queue like any other and is answered when its turn comes: in
/// request order, between replies, never inside one.
///
/// Where the client's bytes can't go on (they are no message, or one that must not pass), what
/// was asked before is answered before: nothing more is taken from the client, and the
/// connection ends once no reply is owed any more.
///
/// Thread-safety: one thread.
class session_fsm {
 public:
  session_fsm(inspector& inspector, const inspected_connection& connection)
      : inspector_(inspector), connection_(connection), pending_(connection.memory) {}

  /// What to do with `unread`, the bytes from the client that no earlier step has consumed.
  [[nodiscard]] step next_request(std::span<const std::byte> unread, clock::time_point now);

  /// What is to be done for the request in hand, by another thread. The unread bytes stay where
  /// they are until then.
  [[nodiscard]] long_work& awaited() noexcept { return *awaited_; }
  /// Goes on with it, while what came of that can be read.
  [[nodiscard]] step on_over(std::span<const std::byte> unread, clock::time_point now);

  /// The message that the last `need` asked for can't be held: let it pass unread.
  void refuse_to_hold() noexcept { holding_refused_ = true; }
  /// The same of a reply.
  void refuse_to_hold_reply() noexcept { holding_reply_refused_ = true; }

  /// Takes nothing more from the client, and ends the connection for `why` once what was asked
  /// before is answered. What has come of an unfinished request is forgotten.
  void finish(telemetry::close_reason why, clock::time_point now) noexcept;
  /// Since when it only waits for what is owed; nothing where it doesn't.
  [[nodiscard]] std::optional<clock::time_point> finishing_since() const noexcept {
    return finishing_ ? std::optional{finishing_->since} : std::nullopt;
  }
  /// Why it will end, where it only waits for what is owed; else `other`.
  [[nodiscard]] telemetry::close_reason reason_or(telemetry::close_reason other) const noexcept {
    return finishing_ ? finishing_->why : other;
  }

  /// What to do with `unread`, the bytes from mongos that no earlier step has consumed.
  [[nodiscard]] step next_reply(std::span<const std::byte> unread, clock::time_point now);

  /// Whether the next reply is ours to inject now, without any byte from mongos.
  [[nodiscard]] bool has_injection() const noexcept;
  /// Whether next_request() has more to say than that it waits.
  [[nodiscard]] bool may_request() const noexcept {
    return finishing_ ? !owes_replies() : awaited_ == nullptr && !pending_.is_full() && !must_know_who();
  }

  /// How many requests have been passed on, or have begun to be.
  [[nodiscard]] std::uint64_t requests_seen() const noexcept { return requests_seen_; }

  /// Whether the client's bytes end between two messages, `unread` being what is left of them.
  [[nodiscard]] bool is_between_requests(std::size_t unread) const noexcept {
    return unread == 0 && passing_ == 0;
  }
  /// Whether nobody would miss the connection: between messages both ways, and no reply
  /// expected but that of a waiting hello.
  [[nodiscard]] bool is_idle(std::size_t unread_requests) const noexcept;
  /// Of an idle connection: whether a waiting hello is on it, as a driver's monitor sends one.
  [[nodiscard]] bool awaits_news() const noexcept { return !pending_.is_empty(); }
  /// Whether the last reply with a cursor in it left one open: more of it is likely asked for.
  [[nodiscard]] bool has_open_cursor() const noexcept { return has_open_cursor_; }

  /// The connection has ended: counts what will never be answered, as far as there is memory
  /// for it.
  void end(clock::time_point now) noexcept;

 private:
  /// How the request in hand passes.
  enum class passage : std::uint8_t {
    unanswered,  ///< it goes on, and no reply to it is awaited
    awaited,     ///< it goes on, and the last pending request is it
    followed,    ///< it goes on, and is judged when it has: streaming_
    dropped,     ///< it doesn't go on
  };

  [[nodiscard]] step begin_request(request_view request);
  [[nodiscard]] std::optional<step> guard(const request_view& request);
  [[nodiscard]] step pass(const request_view& request, inspection inspected);
  [[nodiscard]] step begin_passing(const request_view& request, passage how);
  [[nodiscard]] step follow(std::span<const std::byte> arrived, clock::time_point now);
  [[nodiscard]] step pass_rest(std::span<const std::byte> unread, clock::time_point now);
  [[nodiscard]] step inject_rejection(clock::time_point now);
  [[nodiscard]] step begin_reply(const wire::message_header& header,
                                 std::span<const std::byte> unread, clock::time_point now);
  [[nodiscard]] step await(long_work& work) noexcept;
  [[nodiscard]] bool is_unpacked(const request_view& request);
  void scan_reply(const wire::message_header& header, std::span<const std::byte> start);
  void scan_message(const wire::message_header& header, std::span<const std::byte> start);
  void match_reply(const wire::message_header& header, clock::time_point now);
  void finish_reply(clock::time_point now);
  void settle_front(const completion& how);
  /// Whether the next request waits until mongos has answered who sends it. mongos itself looks
  /// at no request before it has answered the one before.
  [[nodiscard]] bool must_know_who() const noexcept {
    return connection_.client.is_being_settled() && inspector_.asks_who();
  }
  [[nodiscard]] step refuse_request(wire::wire_errc error, std::span<const std::byte> unread,
                                    clock::time_point now);
  [[nodiscard]] step finish_with(telemetry::close_reason why,
                                 std::span<const std::byte> unread, clock::time_point now);
  [[nodiscard]] step next_of_finishing(std::span<const std::byte> unread) const noexcept;
  [[nodiscard]] bool owes_replies() const noexcept;

  inspector& inspector_;
  inspected_connection connection_;
  pending_queue pending_;
  wire::reply_scanner scanner_;
  std::vector<std::byte> injecting_;
  std::unique_ptr<streamed_request> streaming_;  ///< the request in hand, if `followed`
  std::unique_ptr<gradual_unpacking> unpacking_;  ///< a large request that is here as a whole
  std::unique_ptr<large_judgement> judging_;      ///< of the request in hand, if it is large
  long_work* awaited_ = nullptr;                  ///< the one of the two that is under way
  std::uint32_t passing_ = 0;      ///< bytes of the request in hand that are still to pass
  passage passage_{};              ///< of the request in hand, while passing_ isn't 0
  std::uint32_t reply_rest_ = 0;   ///< bytes of the current reply still to come
  std::int32_t reply_id_ = 0;      ///< the current reply's requestID
  bool is_holding_reply_ = false;  ///< a compressed reply has begun, and waits to be whole
  bool is_reply_read_ = false;     ///< the current reply is one that scanner_ can read
  bool awaits_facts_ = false;      ///< all of the current reply is to be scanned
  bool is_reply_matched_ = false;
  bool has_open_cursor_ = false;
  bool holding_refused_ = false;
  bool holding_reply_refused_ = false;
  std::uint64_t requests_seen_ = 0;
  struct ending {
    telemetry::close_reason why{};
    clock::time_point since;
  };
  std::optional<ending> finishing_;
};

}  // namespace scattergate::proxy
