#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "proxy/judging/inspector.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/session/reply_side.hpp"

namespace scattergate::proxy {

/// The part of session_fsm (a connection's state machine) that handles requests. Splits the
/// client's bytes into requests, passes each request to the inspector, and queues the requests
/// that await a reply.
class request_side {
 public:
  /// All arguments must outlive this object.
  request_side(inspector& inspector, const inspected_connection& connection,
               pending_queue& pending, reply_side& replies) noexcept
      : inspector_(inspector), connection_(connection), pending_(pending), replies_(replies) {}
  ~request_side();
  request_side(const request_side&) = delete;
  request_side& operator=(const request_side&) = delete;

  /// The next step (what to do) for `unread`, the client's bytes that no earlier step has
  /// consumed.
  [[nodiscard]] step next(std::span<const std::byte> unread, clock::time_point now);
  /// The long work for the current request (decompressing or judging it), to run on another
  /// thread. The request's bytes must stay in place until on_awaited(). REQUIRES: the last
  /// step was `await`.
  [[nodiscard]] long_work& awaited() noexcept {
    if (judging_) return *judging_;
    return *unpacking_;
  }
  /// The next step after the work of awaited() has completed. Call it before the thread starts
  /// other work, which overwrites the result (see long_work::advance()).
  [[nodiscard]] step on_awaited(std::span<const std::byte> unread, clock::time_point now);
  /// Call it if there is no memory for the bytes that the last `need` step asks for. This class
  /// then decides on the current request without reading it, and rejects a throttled request.
  void refuse_to_hold() noexcept { holding_refused_ = true; }

  /// Sets whether replies wait until the client reads them. While they wait, a throttled
  /// request takes no slot of its throttle.
  void note_unsent_replies(bool are_there) noexcept { has_unsent_replies_ = are_there; }

  /// Whether the current request waits in the queue of a throttle.
  [[nodiscard]] bool is_held() const noexcept { return held_ && held_->is_in_queue; }
  /// When to call this function again for the request that waits in the throttle's queue, or
  /// for the live catalog. std::nullopt: the wait has ended, call on_held() now. REQUIRES: the
  /// last step was `hold`.
  [[nodiscard]] std::optional<clock::time_point> held_until(clock::time_point now) const;
  /// The next step for a request whose wait has ended. Forwards a throttled request if the
  /// throttle has admitted it; otherwise rejects it. Judges a request that has waited for the
  /// live catalog.
  [[nodiscard]] step on_held(std::span<const std::byte> unread, clock::time_point now);
  /// Call it when the connection has ended. Discards a throttled request, and counts it as
  /// unanswered.
  void end(clock::time_point now);

  /// Stops reading requests, and discards an incomplete request. Once earlier requests are
  /// answered, closes the connection for the reason `why`. Later calls do nothing.
  void finish(telemetry::close_reason why, clock::time_point now) noexcept;
  /// When finish() was called, by the session or by this class; std::nullopt: not called.
  [[nodiscard]] std::optional<clock::time_point> finishing_since() const noexcept {
    return finishing_ ? std::optional{finishing_since_} : std::nullopt;
  }
  /// The reason passed to finish(); `other` if finish() wasn't called.
  [[nodiscard]] telemetry::close_reason reason_or(
      telemetry::close_reason other) const noexcept {
    return finishing_.value_or(other);
  }

  /// Whether next() could return something other than `wait`.
  [[nodiscard]] bool may_go_on() const noexcept {
    if (finishing_) return !replies_.has_pending();
    if (held_) return !is_held() && !must_be_answered_before();
    if (catalog_progress_.is_turn_awaited) return !must_be_answered_before();
    return !is_awaiting_ && !catalog_progress_.is_waiting && !pending_.is_full() &&
           !must_wait_for_identity();
  }
  /// The number of requests that were forwarded or rejected. Includes the current request as
  /// soon as its first bytes are forwarded or discarded.
  [[nodiscard]] std::uint64_t seen() const noexcept { return seen_; }
  /// The error in the client's bytes that ended the connection; std::nullopt if there is none.
  [[nodiscard]] std::optional<wire::wire_errc> broken_by() const noexcept { return broken_by_; }
  /// Whether no request is partly forwarded or partly discarded.
  [[nodiscard]] bool is_between() const noexcept { return passing_ == 0; }

 private:
  /// What happens to the current request's bytes, once it is decided.
  enum class passage : std::uint8_t {
    unanswered,  ///< forwarded; no reply is expected
    awaited,     ///< forwarded; it is the last pending request
    followed,    ///< forwarded as they arrive; the request is judged at its end (streaming_)
    dropped,     ///< discarded, because the request is rejected
  };

  /// The current request's wait for the live catalog (settings::waits_for_catalog).
  struct catalog_wait {
    std::uint64_t read = 0;   ///< the number of the read that the request waits for
    clock::time_point until;  ///< the latest end of the wait
  };
  /// How far that wait has come. A type of its own, so that a connection has no padding for it.
  struct catalog_progress {
    bool is_waiting = false;       ///< the members of catalog_wait are valid
    bool is_turn_awaited = false;  ///< earlier requests must be answered first
    bool is_over = false;          ///< the request has waited, or needn't wait
    bool is_late = false;          ///< see request_view::is_late
  };

  /// A decompressed request, or why it can't be decompressed.
  using unpacking_result = wire::result<unpacked_message>;

  [[nodiscard]] std::optional<wire::wire_errc> take_header(std::span<const std::byte> unread);
  [[nodiscard]] step begin_request(const request_view& request);
  [[nodiscard]] step judge_request(const request_view& received, const request_view& read,
                                   unpacking_result* unpacked);
  [[nodiscard]] step judge_whole(const request_view& received, const request_view& read,
                                 unpacking_result* unpacked);
  [[nodiscard]] std::optional<step> guard(const request_view& received,
                                          const request_view& read,
                                          const unpacking_result* unpacked);
  [[nodiscard]] step relay_query(const request_view& received, const request_view& read,
                                 const unpacking_result* unpacked);
  [[nodiscard]] std::optional<step> wait_for_catalog(const request_view& read);
  [[nodiscard]] step pass(const request_view& request, inspection inspected);
  [[nodiscard]] bool leave_queue(clock::time_point now) noexcept;
  void give_up_place(clock::time_point now) noexcept;
  [[nodiscard]] request_view view_of(std::span<const std::byte> unread,
                                     clock::time_point now) const;
  [[nodiscard]] step enter_queue(const request_view& request);
  [[nodiscard]] bool must_be_answered_before() const noexcept;
  [[nodiscard]] std::string_view client_key() const noexcept;
  [[nodiscard]] step refuse_held(const request_view& request, throttle_refusal why);
  [[nodiscard]] step begin_passing(const request_view& request, passage chosen);
  [[nodiscard]] step follow(std::span<const std::byte> arrived, clock::time_point now);
  [[nodiscard]] step pass_rest(std::span<const std::byte> unread, clock::time_point now);
  [[nodiscard]] step await() noexcept;
  [[nodiscard]] bool must_unpack(const request_view& request) const noexcept;
  /// Whether the next request must wait until a pending reply has confirmed the client's
  /// identity. The wait costs nothing: mongos handles a connection's requests one by one.
  [[nodiscard]] bool must_wait_for_identity() const noexcept {
    return connection_.client.has_pending_claims() && inspector_.needs_identity();
  }
  [[nodiscard]] step refuse_request(wire::wire_errc error, std::span<const std::byte> unread,
                                    clock::time_point now);
  [[nodiscard]] step finish_with(telemetry::close_reason why, std::span<const std::byte> unread,
                                 clock::time_point now);
  [[nodiscard]] step next_of_finishing(std::span<const std::byte> unread) const noexcept;

  inspector& inspector_;
  const inspected_connection& connection_;
  pending_queue& pending_;
  reply_side& replies_;
  std::unique_ptr<streamed_request> streaming_;   ///< the current request, if it is streamed
  std::unique_ptr<gradual_unpacking> unpacking_;  ///< of the current request, if it is
                                                  ///< compressed and large
  std::unique_ptr<large_judgement> judging_;      ///< of the current request, if it is large
  std::unique_ptr<held_request> held_;  ///< the current request, until its throttle admits it
  catalog_wait catalog_;
  clock::time_point finishing_since_;  ///< when finish() was called; valid if finishing_ is
                                       ///< set
  wire::message_header header_{};  ///< the current request's header; `length` is 0 until the
                                   ///< header has arrived, and again once the request's
                                   ///< bytes pass
  std::optional<telemetry::close_reason> finishing_;  ///< the reason passed to finish()
  std::optional<wire::wire_errc> broken_by_;
  std::uint32_t passing_ = 0;  ///< bytes of the current request that must still be forwarded
                               ///< or discarded
  std::uint64_t seen_ = 0;
  passage passage_{};                ///< of the current request, while passing_ isn't 0
  bool holding_refused_ = false;     ///< refuse_to_hold() was called for the current request
  bool is_awaiting_ = false;         ///< judging_, or else unpacking_, is running
  bool has_unsent_replies_ = false;  ///< the client hasn't accepted all bytes that are ready
                                     ///< for it
  catalog_progress catalog_progress_;
};

}  // namespace scattergate::proxy
