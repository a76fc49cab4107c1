#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "proxy/session/session_fsm.hpp"

namespace scattergate::fuzz {

using bytes = std::vector<std::byte>;

/// Tracks where messages begin and end in the byte stream of one direction of a connection.
class frame_oracle {
 public:
  /// Takes the next bytes of the stream. REQUIRES: they belong to one message; at a message's
  /// beginning, they include its whole header.
  void take(std::span<const std::byte> next);
  /// Whether the stream is between two messages.
  [[nodiscard]] bool is_at_boundary() const noexcept { return rest_ == 0; }

 private:
  std::size_t rest_ = 0;  // bytes of the current message still to come
};

/// Runs a session_fsm (the state machine of a client's connection) between a client and a
/// mongos whose bytes come from a fuzz target's input. Aborts the program if the state machine
/// breaks one of these rules:
///   - mongos receives all bytes of the client in order, except messages that are dropped as a
///     whole; the client receives all bytes of mongos in order
///   - the proxy answers every dropped message that awaits a reply, in order, between replies
///   - a step needs more bytes than are available, or moves at least one byte
///   - a step never crosses the end of a message
///   - at most pending_queue::max_pending requests are taken while no reply comes
///   - an idle session has nothing pending
///   - after invalid bytes of a client, the connection ends once all earlier requests are
///     answered
///   - a throttled request delays only the requests after it; once it has been answered, it
///     uses no slot of the throttle
///   - every command is counted exactly once.
class session_model {
 public:
  session_model();
  ~session_model();

  /// Whether the connection is still open.
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }

  /// The client sends these bytes.
  void client_sends(std::span<const std::byte> bytes);
  /// The client sends request_message(which, id) `times` times.
  void client_asks(std::uint8_t which, std::int32_t id, std::size_t times);
  /// The client sends request_message(which, id) in two pieces. `first`: the size of the first
  /// piece, in units of 1 byte, or of 157 bytes for a message of more than 1,000 bytes.
  void client_asks_in_pieces(std::uint8_t which, std::int32_t id, std::size_t first);

  /// mongos sends these bytes.
  void mongos_sends(std::span<const std::byte> bytes);
  /// mongos sends reply_message(which, to, id).
  void mongos_answers(std::uint8_t which, std::int32_t to, std::int32_t id);
  /// mongos answers the oldest unanswered request with reply_message(which, ..., id). Does
  /// nothing if there is none.
  void mongos_answers_next(std::uint8_t which, std::int32_t id);
  /// mongos answers all unanswered requests in order.
  void mongos_answers_all();

  /// Changes the proxy's settings to one of a fixed set of settings; `which` selects them.
  void use_rules(std::uint8_t which);
  /// Makes memory run out the next time that the session has to hold an incomplete request.
  void refuse_to_hold();
  /// Makes the client stop reading replies (`held` is true), or read again.
  void hold_replies_back(bool held);
  /// Advances the clock.
  void pass_time(std::uint8_t milliseconds);

  /// Closes the connection and checks the final counts.
  void end();

 private:
  /// One direction: the received bytes that aren't consumed yet, and the stream's position.
  struct lane {
    frame_oracle stream;

    [[nodiscard]] std::span<const std::byte> unread() const;
    void receive(std::span<const std::byte> bytes);
    void drop_front(std::size_t size);

   private:
    bytes received_;
    std::size_t consumed_ = 0;
  };

  /// A reply that the proxy owes for a dropped message; uncertain if the message's flags can't
  /// be read.
  struct answer_due {
    std::int32_t id;
    bool is_certain;
  };

  void pump();
  [[nodiscard]] proxy::step next_request();
  [[nodiscard]] proxy::step once_judged(proxy::step next);
  [[nodiscard]] bool step_requests();
  [[nodiscard]] bool step_replies();
  [[nodiscard]] bool step_finishing(const proxy::step& next);
  void refuse();
  void forward_request(std::size_t size);
  void drop_request(std::size_t size);
  void begin_dropping(std::span<const std::byte> start);
  void forward_reply(std::size_t size);
  void check_injected(std::span<const std::byte> message);
  void check_idle();
  void close();

  proxy::client_identity client_{"10.0.0.7"};
  proxy::cursor_table cursors_;
  telemetry::memory_share memory_;
  proxy::session_fsm fsm_;
  proxy::clock::time_point now_{};
  lane requests_;
  lane replies_;
  std::deque<std::int32_t> unanswered_;  // ids of what mongos has received
  std::deque<answer_due> rejected_;
  std::size_t taken_ = 0;      // requests with a reply due that were taken since the last reply
  std::uint64_t dropped_ = 0;  ///< requests whose rejection makes a finding
  bool makes_findings_ = true;  ///< whether a rejection of the next request does
  std::shared_ptr<proxy::settings> throttled_;  ///< settings with a throttle of this session
                                                ///< only, because its times are those of now_
  bool is_dropping_ = false;
  bool is_held_back_ = false;
  bool is_memory_short_ = false;
  bool is_open_ = true;
};

}  // namespace scattergate::fuzz
