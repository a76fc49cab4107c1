#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "telemetry/memory_budget.hpp"

namespace scattergate::proxy {

/// A worker's pool of memory blocks, lent to connections while they have bytes to forward. The
/// first `own_blocks` blocks belong to the worker. Further blocks are charged to the borrowing
/// connection's memory share (its part of limits.memory). If the share or the memory is
/// exhausted, the pool lends a small block without charge, so that bytes keep flowing.
/// Thread-safety: the worker's thread.
class block_pool {
 public:
  static constexpr std::size_t block_bytes = 64UL * 1024;  ///< the size of a block, in bytes
  static constexpr std::size_t small_bytes = 4UL * 1024;   ///< the size of a small block
  static constexpr std::size_t own_blocks = 32;            ///< maximum number of own blocks

  /// Frees a block.
  struct freeing {
    void operator()(std::byte* bytes) const noexcept { std::free(bytes); }
  };
  using block = std::unique_ptr<std::byte[], freeing>;  ///< from malloc, so that it can grow

  /// A lent block.
  struct loan {
    block bytes;
    std::uint32_t size = 0;     ///< in bytes
    std::uint32_t charged = 0;  ///< the bytes charged to the borrower's share: `size` or 0
  };

  block_pool() { free_.reserve(own_blocks); }
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;

  /// Lends a block. Throws std::bad_alloc if not even a small block can be allocated.
  [[nodiscard]] loan lend(telemetry::memory_share& borrower);
  /// Takes a block back, and releases the block's charge from the borrower's share. Keeps one
  /// of the worker's own blocks for lend(); frees any other block.
  void take_back(loan returned, telemetry::memory_share& borrower) noexcept;

 private:
  std::vector<block> free_;  // own blocks that aren't lent; has capacity for all of them
  std::size_t made_ = 0;     // own blocks allocated so far
};

/// The buffer of one direction of a connection: received bytes that wait to be sent. It has
/// these parts, in order of arrival:
///
///     sent | approved     | unread              | room
///     gone | to send next | for the session_fsm | for the next read
///
/// An empty buffer holds no memory; otherwise the buffer holds a block of the pool. Some
/// messages must be complete before they are forwarded. If such a message doesn't fit into the
/// block, the buffer holds a larger block, charged to the connection's memory share. The larger
/// block grows as bytes arrive, because the length in the message's header may be false.
class flow_buffer {
 public:
  flow_buffer(block_pool& pool, telemetry::memory_share& share) noexcept
      : pool_(pool), share_(share) {}
  ~flow_buffer() { release(); }
  flow_buffer(const flow_buffer&) = delete;
  flow_buffer& operator=(const flow_buffer&) = delete;

  /// The bytes to send next.
  [[nodiscard]] std::span<const std::byte> approved() const noexcept {
    return {data() + begin_, scanned_ - begin_};
  }
  /// The received bytes on which the session_fsm (the protocol's state machine) hasn't
  /// decided.
  [[nodiscard]] std::span<const std::byte> unread() const noexcept {
    return {data() + scanned_, end_ - scanned_};
  }
  /// The free space for the next read, at most 256 KiB.
  [[nodiscard]] std::span<std::byte> room() noexcept {
    return {data() + end_, std::min<std::size_t>(held_.size - end_, bytes_at_once)};
  }

  /// Moves the first `bytes` unread bytes to approved().
  void approve(std::size_t bytes) noexcept { scanned_ += narrow(bytes); }
  /// Removes the first `bytes` approved bytes.
  void sent(std::size_t bytes) noexcept { begin_ += narrow(bytes); }
  /// Discards the first `bytes` unread bytes. REQUIRES: approved() is empty.
  void drop(std::size_t bytes) noexcept { begin_ = scanned_ += narrow(bytes); }
  /// Adds the first `bytes` bytes of room() to unread(), after a read.
  void received(std::size_t bytes) noexcept { end_ += narrow(bytes); }

  /// Makes room() non-empty. `bytes`: the number of unread bytes that the session_fsm needs. If
  /// the buffer is full, a small block becomes one of `block_bytes`; any other block grows
  /// towards a size of `bytes`, at most to twice its size per call. Returns false if the buffer
  /// is full and can't grow, because the memory share or the memory is exhausted. Throws
  /// std::bad_alloc if the buffer has no block and none can be allocated. REQUIRES: nothing is
  /// approved.
  [[nodiscard]] bool make_room(std::size_t bytes);

  /// Whether there are no approved and no unread bytes.
  [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_; }
  /// Returns the block to the pool if the buffer is empty.
  void release_if_empty() noexcept {
    if (is_empty()) release();
  }

 private:
  /// Converts a size. Buffers are smaller than 2 GiB, because messages are.
  [[nodiscard]] static constexpr std::uint32_t narrow(std::size_t bytes) noexcept {
    return static_cast<std::uint32_t>(bytes);
  }
  [[nodiscard]] std::byte* data() const noexcept { return held_.bytes.get(); }
  [[nodiscard]] bool grow(std::uint32_t to);
  [[nodiscard]] bool stretch(std::uint32_t to) noexcept;
  void move_into(block_pool::loan larger) noexcept;
  void release() noexcept;
  void move_to_front() noexcept;

  static constexpr std::size_t bytes_at_once = 256UL * 1024;

  block_pool& pool_;
  telemetry::memory_share& share_;
  block_pool::loan held_;
  // Offsets in held_: begin_ <= scanned_ <= end_.
  std::uint32_t begin_ = 0;    // of the approved bytes
  std::uint32_t scanned_ = 0;  // of the unread bytes
  std::uint32_t end_ = 0;      // of the room
};

}  // namespace scattergate::proxy
