#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <liburing.h>

namespace scattergate::net {

/// The purpose of a request to the kernel. `poll`: polls a connection's socket. `accept`: polls
/// a listening socket. `wake`: polls a descriptor that ends a wait (wake_fds). `ignored`: the
/// completion is discarded. Stored in the lowest 3 bits of the request's user data.
enum class ring_op : std::uint8_t { ignored, receive, poll, send, accept, wake };

/// A completion: the kernel's result of a request.
struct ring_event {
  ring_op what = ring_op::ignored;  ///< the request's purpose, as passed to ring::next()
  void* owner = nullptr;    ///< the object that made the request, as passed to ring::next()
  int result = 0;           ///< the request's result; if negative, an errno with its sign
                            ///< changed
  std::uint32_t flags = 0;  ///< IORING_CQE_F_ flags of the completion

  /// Whether the request stays active, so that further completions follow.
  [[nodiscard]] bool goes_on() const noexcept { return (flags & IORING_CQE_F_MORE) != 0; }
};

/// An io_uring instance, with which one thread makes requests to the kernel and gets their
/// completions. Needs Linux 6.0 or newer.
class ring {
 public:
  /// The most completions that for_each_event() handles in one call.
  static constexpr unsigned events_per_turn = 256;

  /// Throws std::system_error if the kernel is too old or forbids io_uring.
  ring();
  ~ring();
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  /// Binds the ring to the calling thread, which must submit all requests. Called by submit()
  /// and submit_and_wait(); does nothing after the first call.
  void enable() noexcept;

  /// Returns a request for the caller to fill in; never null. The next submit_and_wait() or
  /// submit() submits the request. Each completion of the request has `owner`. REQUIRES:
  /// `owner` is aligned to 8 bytes.
  [[nodiscard]] io_uring_sqe* next(ring_op what, void* owner) noexcept;
  /// Cancels the request that `next(what, owner)` returned. The request still produces its last
  /// completion.
  void cancel(ring_op what, void* owner) noexcept;
  /// Cancels all requests. Each request still produces one last completion.
  void cancel_all() noexcept;
  /// Number of requests that haven't completed, except requests that cancel others.
  [[nodiscard]] std::size_t outstanding() const noexcept { return outstanding_; }

  /// Submits pending requests and waits for completions, at most for `longest`; std::nullopt:
  /// without a timeout.
  void submit_and_wait(std::optional<std::chrono::milliseconds> longest) noexcept;
  /// Submits pending requests, and lets the kernel post completions, without waiting.
  void submit() noexcept;

  /// Calls `take` with each completion that has arrived, except `ignored` ones, at most
  /// `events_per_turn`. Before each call, calls `look_ahead` with the completion that follows,
  /// if there is one, so that the caller can prefetch memory.
  template <typename Take, typename LookAhead>
  void for_each_event(Take take, LookAhead look_ahead);

  /// The ring as liburing's functions need it.
  [[nodiscard]] io_uring* handle() noexcept { return &ring_; }

 private:
  [[nodiscard]] static ring_event event_of(const io_uring_cqe& completion) noexcept;
  [[nodiscard]] static std::uint64_t tag(ring_op what, void* owner) noexcept;

  io_uring ring_{};
  std::array<io_uring_cqe*, events_per_turn> completions_{};
  std::size_t outstanding_ = 0;
  bool is_enabled_ = false;
};

inline ring_event ring::event_of(const io_uring_cqe& completion) noexcept {
  constexpr std::uint64_t of_op = 7;
  return {static_cast<ring_op>(completion.user_data & of_op),
          reinterpret_cast<void*>(completion.user_data & ~of_op), completion.res,
          completion.flags};
}

template <typename Take, typename LookAhead>
void ring::for_each_event(Take take, LookAhead look_ahead) {
  const unsigned count = io_uring_peek_batch_cqe(&ring_, completions_.data(), events_per_turn);
  for (unsigned i = 0; i < count; ++i) {
    if (i + 2 < count) __builtin_prefetch(event_of(*completions_[i + 2]).owner);
    if (i + 1 < count) look_ahead(event_of(*completions_[i + 1]));
    const ring_event event = event_of(*completions_[i]);
    if (event.what == ring_op::ignored) continue;
    if (!event.goes_on()) --outstanding_;
    take(event);
  }
  io_uring_cq_advance(&ring_, count);
}

/// The pool of buffers into which the kernel receives. A connection holds buffers only while it
/// has unread bytes.
class receive_buffers {
 public:
  /// The kernel's ID of the pool.
  static constexpr int group = 0;
  /// Number of buffers.
  static constexpr std::size_t count = 256;
  /// The size of a buffer, in bytes. Small, so that all buffers stay in the CPU's caches. Not
  /// a power of two, so that buffers don't compete for the same cache lines.
  static constexpr std::size_t bytes = 4096 + 64;

  /// A connection's unread bytes: a linked list of buffers.
  struct queue {
    std::uint16_t first = 0;  ///< number of the first buffer; unused if `size` is 0
    std::uint16_t last = 0;   ///< number of the last buffer; unused if `size` is 0
    std::uint16_t size = 0;   ///< number of buffers
    std::uint16_t begin = 0;  ///< offset of the unread bytes in the first buffer
  };

  /// Registers the buffers with `of`. Throws std::system_error if the kernel refuses them.
  explicit receive_buffers(ring& of);
  ~receive_buffers();
  receive_buffers(const receive_buffers&) = delete;
  receive_buffers& operator=(const receive_buffers&) = delete;

  /// Appends the buffer that the kernel has filled with `size` bytes. `flags`: the
  /// completion's flags (ring_event::flags), which contain the number of the buffer.
  void push(queue& to, std::uint32_t flags, int size) noexcept;
  /// The unread bytes of the first buffer. REQUIRES: the queue has a buffer.
  [[nodiscard]] std::span<const std::byte> front(const queue& of) const noexcept;
  /// Moves bytes into `room` until the queue is empty or `room` is full. Returns the number of
  /// moved bytes.
  [[nodiscard]] std::size_t pop(queue& from, std::span<std::byte> room) noexcept;
  /// Returns all buffers of the queue to the kernel.
  void clear(queue& all) noexcept;

 private:
  void pop_front(queue& from) noexcept;
  void give(std::uint16_t id) noexcept;
  [[nodiscard]] std::byte* at(std::uint16_t id) const noexcept;

  ring& ring_;
  io_uring_buf_ring* shared_ = nullptr;  // shared with the kernel: the buffers that it may fill
  std::unique_ptr<std::byte[]> memory_;
  std::array<std::uint16_t, count> next_{};
  std::array<std::uint16_t, count> sizes_{};
};

/// A pool of memory blocks for bytes that the kernel has yet to send. Allocates blocks on
/// demand, at most `most`; keeps them until it is destroyed.
class send_blocks {
 public:
  /// The size of a block, in bytes.
  static constexpr std::size_t bytes = 4096;
  /// The most blocks that the pool allocates.
  static constexpr std::size_t most = 256;
  using block = std::unique_ptr<std::byte[]>;

  send_blocks() { free_.reserve(most); }
  /// Hands out a block; null if `most` blocks are in use or memory is exhausted.
  [[nodiscard]] block acquire() noexcept;
  /// Puts a block back into the pool.
  void release(block used) noexcept { free_.push_back(std::move(used)); }

 private:
  std::vector<block> free_;  // has capacity for `most` blocks
  std::size_t made_ = 0;
};

}  // namespace scattergate::net
