#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "net/io_result.hpp"
#include "net/ring.hpp"
#include "net/unique_fd.hpp"
#include "net/watcher.hpp"

namespace scattergate::net {

class ring_engine;

/// A transport's socket under io_uring, with the semantics of a non-blocking, edge-triggered
/// socket.
///
/// It has two modes. *By hand*: the ring reports readiness, and system calls move the bytes.
/// *By the ring*: a multishot receive fills the ring's buffers, and small writes are copied and
/// submitted with the next wait. A link starts by hand, and changes to the ring while its
/// messages are small. It returns to working by hand when messages are large, when received
/// bytes stay unread, or when the ring runs out of buffers. So a link never holds many buffers
/// and never waits for a free one.
///
/// After close() the engine owns the link until the kernel has sent all written bytes and
/// completed all requests, because these use the socket and its memory.
class ring_link {
 public:
  ring_link(ring_engine& engine, unique_fd socket, watcher& by) noexcept;

  [[nodiscard]] int fd() const noexcept { return socket_.get(); }
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

  /// Same as transport::peek().
  [[nodiscard]] io_result peek(std::byte& first) noexcept;
  /// Same as transport::read(), without TLS.
  [[nodiscard]] io_result read(std::span<std::byte> room) noexcept;
  /// Sends bytes, or copies them for submit(). If it copies them, a later call reports the
  /// error.
  [[nodiscard]] io_result write(std::span<const std::byte> bytes) noexcept;
  /// Shuts down our side for writing once all written bytes are sent.
  void end_writes() noexcept;
  /// Makes close() reset the connection and discard unsent bytes.
  void drop_unsent() noexcept;
  /// Closes the socket once all written bytes are sent. `discards_received`: whether to read
  /// and discard the bytes that have arrived by then, so that they don't cause a reset.
  void close(bool discards_received) noexcept;

  // Called by the engine.
  /// Starts to report readiness.
  void start() noexcept { watch_by_hand(); }
  /// Handles a completion of one of this link's requests.
  void take(const ring_event& event) noexcept;
  /// Submits the bytes that write() has copied.
  void submit() noexcept;
  /// Marks a closed link as late. Returns whether it was late already.
  [[nodiscard]] bool note_late() noexcept;
  /// Discards the unsent bytes of a closed link and resets the connection.
  void give_up() noexcept;
  std::uint32_t place = 0;  ///< index among the engine's closing links
  [[nodiscard]] bool is_closed() const noexcept { return by_ == nullptr; }
  /// The watcher that this link calls; null once closed.
  [[nodiscard]] const watcher* notified() const noexcept { return by_; }

 private:
  void receive_by_ring() noexcept;
  void work_by_hand() noexcept;
  void watch_by_hand() noexcept;
  void arm_receive() noexcept;
  void arm_poll() noexcept;
  void on_received(const ring_event& event) noexcept;
  void on_received_bytes(const ring_event& event) noexcept;
  void on_polled(const ring_event& event) noexcept;
  void on_sent(const ring_event& event) noexcept;
  [[nodiscard]] io_result read_received(std::span<std::byte> room) noexcept;
  void note_burst(io_result got, std::size_t room) noexcept;
  void flush_by_hand() noexcept;
  void discard_unsent() noexcept;
  void fail() noexcept;
  void notify(const readiness& now) noexcept;
  void retire_if_idle() noexcept;

  ring_engine& engine_;
  watcher* by_;  // null once closed
  send_blocks::block unsent_;
  std::uint16_t unsent_begin_ = 0;
  std::uint16_t unsent_end_ = 0;
  receive_buffers::queue received_;
  std::uint32_t burst_ = 0;  // bytes read by hand since the socket was last drained
  unique_fd socket_;
  std::uint8_t small_bursts_ = 0;  // number of small messages in a row
  bool is_by_ring_ : 1 = false;
  bool is_receiving_ : 1 = false;  // a request to receive is outstanding
  bool is_polling_ : 1 = false;    // a request for readiness is outstanding
  bool wants_poll_ : 1 = false;
  bool is_full_ : 1 = false;      // a write by hand was blocked; the poll reports when to retry
  bool is_queued_ : 1 = false;    // for submit()
  bool is_sending_ : 1 = false;   // a request to send is outstanding
  bool wants_write_ : 1 = false;  // a write was blocked meanwhile
  bool has_ended_ : 1 = false;
  bool has_failed_ : 1 = false;
  bool ends_writes_ : 1 = false;  // shut down our side once everything is sent
  bool is_dropping_ : 1 = false;  // close() resets the connection
  bool discards_received_ : 1 = false;
  bool is_late_ : 1 = false;
  bool is_sending_large_ : 1 = false;  // the previous write didn't fit into a send block
  bool is_retired_ : 1 = false;
};

}  // namespace scattergate::net
