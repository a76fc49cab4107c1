#pragma once

#include <atomic>

namespace scattergate::telemetry {

/// A block of counters that is allocated on first use, so that an unused block costs only a
/// pointer. Has a single writer, which allocates it. Thread-safety: call open() from the writer
/// and get() from any thread; close() only while no thread uses the block.
template <typename Block>
class lazy_block {
 public:
  lazy_block() = default;
  ~lazy_block() { delete block_.load(std::memory_order_relaxed); }
  lazy_block(const lazy_block&) = delete;
  lazy_block& operator=(const lazy_block&) = delete;

  /// Returns the block; the first call allocates it, with zeros. Throws std::bad_alloc.
  [[nodiscard]] Block& open() {
    Block* block = block_.load(std::memory_order_relaxed);
    if (block == nullptr) {
      block = new Block();
      block_.store(block, std::memory_order_release);
    }
    return *block;
  }

  /// The block, or null before the first open().
  [[nodiscard]] const Block* get() const noexcept {
    return block_.load(std::memory_order_acquire);
  }

  /// Deletes the block; the next open() allocates a new block.
  void close() noexcept { delete block_.exchange(nullptr, std::memory_order_acq_rel); }

 private:
  std::atomic<Block*> block_{nullptr};
};

}  // namespace scattergate::telemetry
