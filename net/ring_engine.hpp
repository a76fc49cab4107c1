#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "net/engine.hpp"
#include "net/ring.hpp"

namespace scattergate::net {

class ring_link;

/// The engine on io_uring: one system call per turn submits all writes and collects all
/// completions.
///
/// The ring only polls listeners; the acceptor calls accept(). So connections that the acceptor
/// doesn't accept yet, because of a turn's limit, a lack of descriptors or a handover, stay in
/// the kernel's queue. A multishot accept would take them out of the queue, and they could be
/// lost.
class ring_engine final : public engine {
 public:
  /// Throws std::system_error if the kernel is too old or forbids io_uring.
  explicit ring_engine(const wake_fds& wakes);
  ~ring_engine() override;

  [[nodiscard]] bool watch(transport& socket, watcher& notified) override;
  [[nodiscard]] bool watch_listener(int fd, watcher& notified) override;
  void unwatch_listener(int fd, const watcher& notified) noexcept override;
  void forget(const watcher&) noexcept override {}  // a closed link calls no watcher
  void wait(std::optional<std::chrono::milliseconds> longest) override;
  void dispatch(write_batch& writes) override;
  void finish() noexcept override;

  // Called by the links of this engine.
  [[nodiscard]] ring& requests() noexcept { return ring_; }
  [[nodiscard]] receive_buffers& received() noexcept { return received_; }
  [[nodiscard]] send_blocks& to_send() noexcept { return to_send_; }
  /// Calls `written.submit()` before the next wait.
  void submit_later(ring_link& written) noexcept { written_.push_back(&written); }
  /// Takes ownership of a link that has been closed.
  void note_closing(ring_link& closing) noexcept;
  /// Schedules the destruction of a closed link that no request uses any more.
  void retire(ring_link& idle) noexcept;
  /// Whether the loop has ended. Then links call no watcher and submit no request.
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
  // The next three have capacity for all links.
  std::vector<ring_link*> written_;  // to submit() before the next wait
  std::vector<ring_link*> closing_;
  std::vector<ring_link*> retired_;
  std::size_t links_ = 0;
  clock::time_point next_check_{};  // when to look for late links in closing_
  bool is_over_ = false;
};

}  // namespace scattergate::net
