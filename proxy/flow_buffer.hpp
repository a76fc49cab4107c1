#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "proxy/memory_budget.hpp"

namespace scattergate::proxy {

/// Blocks that a worker's connections borrow while bytes pass through them.
/// Thread-safety: one thread.
class block_pool {
 public:
  static constexpr std::size_t block_bytes = 32UL * 1024;
  struct freeing {
    void operator()(std::byte* bytes) const noexcept { std::free(bytes); }
  };
  using block = std::unique_ptr<std::byte[], freeing>;  ///< of malloc's, so that it can grow

  explicit block_pool(memory_budget& budget) noexcept : budget_(budget) {}

  [[nodiscard]] block take();
  void give_back(block unused);
  [[nodiscard]] memory_budget& budget() noexcept { return budget_; }

 private:
  static constexpr std::size_t max_kept = 64;
  memory_budget& budget_;
  std::vector<block> free_;
};

/// The bytes of one direction of a connection:
///
///     | consumed | approved | unread | room |
///                sent next   for the fsm  for the next read
///
/// Holds no memory while it is empty; a block of the pool while it isn't; and a larger one, out
/// of the budget, while a message has to be held whole: it grows with what has come of it, not
/// with what its header claims.
/// Thread-safety: one thread.
class flow_buffer {
 public:
  explicit flow_buffer(block_pool& pool) noexcept : pool_(&pool) {}
  ~flow_buffer() { release(); }
  flow_buffer(const flow_buffer&) = delete;
  flow_buffer& operator=(const flow_buffer&) = delete;

  [[nodiscard]] std::span<const std::byte> approved() const noexcept {
    return {data_.get() + begin_, scanned_ - begin_};
  }
  [[nodiscard]] std::span<const std::byte> unread() const noexcept {
    return {data_.get() + scanned_, end_ - scanned_};
  }
  [[nodiscard]] std::span<std::byte> room() noexcept {
    return {data_.get() + end_, capacity_ - end_};
  }

  void approve(std::size_t bytes) noexcept { scanned_ += bytes; }
  void sent(std::size_t bytes) noexcept { begin_ += bytes; }
  /// Skips unread bytes. REQUIRES: nothing is approved.
  void drop(std::size_t bytes) noexcept { begin_ = scanned_ += bytes; }
  void received(std::size_t bytes) noexcept { end_ += bytes; }

  /// Makes room for at least one byte more than there is, on the way to `bytes` of unread();
  /// false where the budget has no memory for it. REQUIRES: nothing is approved.
  [[nodiscard]] bool make_room(std::size_t bytes);

  /// Gives the memory back, where nothing is in it.
  void release_if_empty() {
    if (begin_ == end_) release();
  }

 private:
  [[nodiscard]] bool grow(std::size_t to);
  void release();
  void move_to_front() noexcept;

  block_pool* pool_;
  block_pool::block data_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t scanned_ = 0;
  std::size_t end_ = 0;
};

}  // namespace scattergate::proxy
