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

/// A worker's pool of blocks, lent to connections while bytes pass through them. The worker
/// owns `own_blocks`; further ones are charged to the borrower's memory share. If that is
/// exhausted, the pool lends a small block anyway, so that bytes keep flowing. Thread-safety:
/// the worker's thread.
class block_pool {
 public:
  static constexpr std::size_t block_bytes = 64UL * 1024;
  static constexpr std::size_t small_bytes = 4UL * 1024;
  static constexpr std::size_t own_blocks = 32;

  struct freeing {
    void operator()(std::byte* bytes) const noexcept { std::free(bytes); }
  };
  using block = std::unique_ptr<std::byte[], freeing>;  ///< from malloc, so that it can grow

  struct loan {
    block bytes;
    std::uint32_t size = 0;
    std::uint32_t charged = 0;  ///< the bytes charged to the borrower's share: all or none
  };

  block_pool() { free_.reserve(own_blocks); }
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;

  /// Lends a block. Throws std::bad_alloc if not even a small one can be allocated.
  [[nodiscard]] loan lend(telemetry::memory_share& borrower);
  /// Takes a block back, and releases its charge from the borrower's share.
  void take_back(loan returned, telemetry::memory_share& borrower) noexcept;

 private:
  std::vector<block> free_;  // has capacity for all of the worker's own blocks
  std::size_t made_ = 0;     // own blocks allocated so far
};

/// The buffer of one direction of a connection:
///
///     | consumed | approved | unread | room |
///                sent next   for the fsm  for the next read
///
/// Holds no memory while empty, otherwise a block of the pool. For a message that must be held
/// whole, it holds a larger block, charged to the connection's share. That one grows with the
/// bytes received, not with the length in the header.
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
  /// The received bytes that the session_fsm hasn't consumed.
  [[nodiscard]] std::span<const std::byte> unread() const noexcept {
    return {data() + scanned_, end_ - scanned_};
  }
  /// The free space for the next read.
  [[nodiscard]] std::span<std::byte> room() noexcept {
    return {data() + end_, std::min<std::size_t>(held_.size - end_, bytes_at_once)};
  }

  /// Moves the first unread bytes to approved().
  void approve(std::size_t bytes) noexcept { scanned_ += narrow(bytes); }
  /// Removes the first approved bytes.
  void sent(std::size_t bytes) noexcept { begin_ += narrow(bytes); }
  /// Discards the first unread bytes. REQUIRES: nothing is approved.
  void drop(std::size_t bytes) noexcept { begin_ = scanned_ += narrow(bytes); }
  /// Adds bytes that were read into room() to unread().
  void received(std::size_t bytes) noexcept { end_ += narrow(bytes); }

  /// Makes room() non-empty, so that unread() can grow to `bytes`. False if the share has no
  /// memory left. Throws std::bad_alloc if there is no block and none can be allocated.
  /// REQUIRES: nothing is approved.
  [[nodiscard]] bool make_room(std::size_t bytes);

  [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_; }
  /// Returns the memory if the buffer is empty.
  void release_if_empty() noexcept {
    if (is_empty()) release();
  }

 private:
  /// Buffers are smaller than 2 GiB, because messages are.
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
  std::uint32_t begin_ = 0;
  std::uint32_t scanned_ = 0;
  std::uint32_t end_ = 0;
};

}  // namespace scattergate::proxy
