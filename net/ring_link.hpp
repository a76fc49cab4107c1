#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "net/engine.hpp"
#include "net/ring.hpp"
#include "net/stream_calls.hpp"
#include "net/unique_fd.hpp"

using BIO = struct bio_st;

namespace scattergate::net {

class ring_engine;

/// A transport's socket under io_uring. It behaves like a non-blocking, edge-triggered socket.
///
/// A link has two modes. *By hand*: the ring reports readiness, and system calls move the
/// bytes. *By the ring*: a multishot receive fills the ring's buffers; small writes are copied,
/// and the next wait submits them. A link starts by hand, and changes to the ring while its
/// messages are small. It returns to working by hand when messages are large, received bytes
/// stay unread, a write is blocked, the peer ends its stream, or the ring runs out of buffers.
/// Therefore a link never holds many buffers and never waits for a free one.
///
/// After close() the engine owns the link until the kernel has sent all written bytes and
/// completed all requests, because the requests use the link's socket and memory.
class ring_link {
 public:
  /// `by`: the watcher to call when the socket is ready.
  ring_link(ring_engine& engine, unique_fd socket, watcher& by) noexcept;

  [[nodiscard]] int fd() const noexcept { return socket_.get(); }
  /// Whether the peer has ended its stream.
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

  /// Copies the first unread byte, which stays unread.
  [[nodiscard]] io_result peek(std::byte& first) noexcept;
  /// Reads into `room`. A result shorter than `room` means that the socket is drained.
  [[nodiscard]] io_result read(std::span<std::byte> room) noexcept;
  /// Sends bytes at once, or copies a few bytes, which the engine submits before the next wait.
  /// If sending copied bytes fails, a later call returns `failed`.
  [[nodiscard]] io_result write(std::span<const std::byte> bytes) noexcept;
  /// Shuts down the socket for writing once all written bytes are sent.
  void end_writes() noexcept;
  /// Makes close() reset the connection and discard unsent bytes.
  void drop_unsent() noexcept;
  /// Closes the socket once all written bytes are sent. `discards_received`: first reads and
  /// discards the bytes that have arrived; without this, unread bytes cause a reset.
  void close(bool discards_received) noexcept;

  // The functions that only the engine calls.
  /// Starts to report the socket's readiness to the watcher.
  void start() noexcept { watch_by_hand(); }
  /// Handles a completion of one of this link's requests.
  void take(const ring_event& event) noexcept;
  /// Submits the bytes that write() has copied.
  void submit() noexcept;
  /// Says whether a closed link takes too long to send its bytes. The engine calls this about
  /// every 5 seconds for each closed link with unfinished requests. Returns false on the first
  /// call, then true; the engine then calls give_up().
  [[nodiscard]] bool note_late() noexcept;
  /// Discards the unsent bytes of a closed link and resets the connection.
  void give_up() noexcept;
  std::uint32_t place = 0;  ///< index of this link in ring_engine's list of closed links;
                            ///< unused before close()
  /// Whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept { return by_ == nullptr; }
  /// The watcher that this link calls; null after close().
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
  bool wants_poll_ : 1 = false;    // works by hand, so a poll must always be outstanding
  bool is_full_ : 1 = false;      // a write by hand was blocked; the poll reports when to retry
  bool is_queued_ : 1 = false;    // for submit()
  bool is_sending_ : 1 = false;   // a request to send is outstanding
  bool wants_write_ : 1 = false;  // a write was blocked; notify the watcher once sent
  bool has_ended_ : 1 = false;
  bool has_failed_ : 1 = false;
  bool ends_writes_ : 1 = false;  // shut down the socket for writing once everything is sent
  bool is_dropping_ : 1 = false;  // close() resets the connection
  bool discards_received_ : 1 = false;
  bool is_late_ : 1 = false;
  bool is_sending_large_ : 1 = false;  // the previous write didn't fit into a send block
  bool is_retired_ : 1 = false;
};

class ring_link;

/// Creates an OpenSSL BIO that reads and writes through a ring_link (a socket under io_uring)
/// instead of a socket. Null if out of memory. `link` must outlive the BIO.
[[nodiscard]] BIO* make_ring_bio(ring_link& link) noexcept;

}  // namespace scattergate::net
