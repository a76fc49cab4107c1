#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "net/engine.hpp"
#include "net/ring.hpp"

namespace scattergate::net {

class ring_link;

/// The engine (interface to the kernel) of an event_loop, on io_uring. In each turn (one pass
/// over the ready sockets), one system call submits the pending requests, including small
/// writes, and collects completions. Large writes are system calls of their own (see
/// ring_link).
///
/// For listening sockets, the ring only reports that connections wait; proxy::acceptor calls
/// accept(). At times the acceptor can't accept: at a turn's work limit, without free
/// descriptors, or during a handover. New connections then stay in the kernel's queue. A
/// multishot accept would take them out of that queue, and they could be lost.
class ring_engine final : public engine {
 public:
  /// Throws std::system_error if the kernel is too old or forbids io_uring.
  explicit ring_engine(const wake_fds& wakes);
  ~ring_engine() override;

  [[nodiscard]] bool watch(transport& socket, watcher& notified) override;
  [[nodiscard]] bool watch_listener(int fd, watcher& notified) override;
  void unwatch_listener(int fd, const watcher& notified) noexcept override;
  // Nothing to drop: the caller closes the watcher's socket next, and a closed ring_link calls
  // no watcher.
  void unwatch(const transport&) noexcept override {}  // closing the socket ends it
  void forget(const watcher&) noexcept override {}
  void wait(std::optional<std::chrono::milliseconds> longest) override;
  void dispatch(write_batch& writes) override;
  void finish() noexcept override;

  // The functions that this engine's ring_links (the sockets of its connections) call.
  /// The ring to which links add their requests.
  [[nodiscard]] ring& requests() noexcept { return ring_; }
  /// The buffers into which the kernel receives for all links.
  [[nodiscard]] receive_buffers& received() noexcept { return received_; }
  /// The blocks from which the kernel sends for all links.
  [[nodiscard]] send_blocks& to_send() noexcept { return to_send_; }
  /// Calls `written.submit()` before the next wait.
  void submit_later(ring_link& written) noexcept { written_.push_back(&written); }
  /// Takes ownership of a closed link. Keeps the link until the kernel has completed the link's
  /// requests.
  void note_closing(ring_link& closing) noexcept;
  /// Destroys a closed link before the next wait. REQUIRES: the link's requests have all
  /// completed, or is_over() is true.
  void retire(ring_link& idle) noexcept;
  /// Whether finish() has cancelled all requests. From then on, links call no watcher and start
  /// no poll or receive.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

 private:
  using clock = std::chrono::steady_clock;
  struct alignas(std::uint64_t) wake {
    int fd = -1;
  };
  struct listener {
    int fd = -1;
    watcher* notified = nullptr;
    bool is_polled = false;
  };

  [[nodiscard]] bool make_room_for(std::size_t links);
  void arm(wake& polled) noexcept;
  void arm(listener& polled) noexcept;
  void deliver(listener& ready, const ring_event& event);
  void submit_written() noexcept;
  void destroy_retired() noexcept;
  void check_closing(clock::time_point now) noexcept;

  std::array<wake, std::tuple_size_v<wake_fds>> wakes_;
  ring ring_;
  receive_buffers received_{ring_};
  send_blocks to_send_;
  std::vector<std::unique_ptr<listener>> listeners_;
  // written_, closing_ and retired_ have capacity for all links, so that adding can't fail.
  std::vector<ring_link*> written_;  // to submit() before the next wait
  std::vector<ring_link*> closing_;  // owned: closed links with requests in the kernel
  std::vector<ring_link*> retired_;  // owned: links to destroy before the next wait
  std::size_t links_ = 0;
  clock::time_point next_check_{};  // when to look in closing_ for links whose peer doesn't
                                    // read what was sent
  bool is_over_ = false;
};

}  // namespace scattergate::net
