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

/// The position in one direction's stream, by the messages' lengths alone.
class frame_oracle {
 public:
  /// Takes the next bytes of a stream: of one message, and with its whole header where it
  /// begins.
  void take(std::span<const std::byte> next);
  [[nodiscard]] bool is_at_boundary() const noexcept { return rest_ == 0; }

 private:
  std::size_t rest_ = 0;  // bytes of the current message still to come
};

/// A session_fsm with its inspector between a client and a mongos that send the input. Drives
/// it as a session does, and aborts the program where it breaks a promise:
///   - mongos receives what the client sent, in order, without the messages that were dropped,
///     which are dropped whole; the client receives what mongos sent, in order
///   - every dropped message that awaits a reply is answered by us, in order, between replies
///   - no step asks for less than there is, moves nothing, or crosses the end of a message
///   - no more than pending_queue::max_pending requests are taken while no reply comes
///   - an idle session has nothing pending
///   - after invalid bytes of a client, the connection ends when all earlier requests are
///     answered, and not before
///   - a throttled request delays only the requests after it, continues or is answered by the
///     proxy, and uses nothing of the throttle at the end
///   - every command is counted once at the end.
class session_model {
 public:
  session_model();
  ~session_model();

  [[nodiscard]] bool is_open() const noexcept { return is_open_; }

  void client_sends(std::span<const std::byte> bytes);
  void client_asks(std::uint8_t which, std::int32_t id, std::size_t times);
  void client_asks_in_pieces(std::uint8_t which, std::int32_t id, std::size_t first);

  void mongos_sends(std::span<const std::byte> bytes);
  void mongos_answers(std::uint8_t which, std::int32_t to, std::int32_t id);
  void mongos_answers_next(std::uint8_t which, std::int32_t id);  ///< what came first
  void mongos_answers_all();

  void use_rules(std::uint8_t which);
  void refuse_to_hold();
  void hold_replies_back(bool held);  ///< the client doesn't read
  void pass_time(std::uint8_t milliseconds);

  void end();

 private:
  /// One direction: what has come and isn't consumed yet, and where its stream stands.
  struct lane {
    frame_oracle stream;

    [[nodiscard]] std::span<const std::byte> unread() const;
    void receive(std::span<const std::byte> bytes);
    void drop_front(std::size_t size);

   private:
    bytes received_;
    std::size_t consumed_ = 0;
  };

  /// The reply due to a message that we dropped; uncertain if its flags can't be read.
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
  std::size_t taken_ = 0;  // requests that await a reply, since the last reply
  std::uint64_t dropped_ = 0;
  std::shared_ptr<proxy::settings> throttled_;  ///< a throttle of its own, as the clock is
  bool is_dropping_ = false;
  bool is_held_back_ = false;
  bool is_memory_short_ = false;
  bool is_open_ = true;
};

}  // namespace scattergate::fuzz
