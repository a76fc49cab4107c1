#pragma once

#include <array>
#include <cstddef>

#include "net/failing_memory.hpp"
#include "net/watcher.hpp"

namespace scattergate::net {

/// The writes that watchers have deferred while the loop notifies a batch of them. Reading for
/// all, then working for all, then writing for all keeps the code of each stage in the CPU's
/// caches. Thread-safety: the loop's thread.
class write_batch {
 public:
  /// Watchers notified in one batch: enough to share the cost, few enough that what they have
  /// read stays in the cache.
  static constexpr std::size_t watchers = 16;

  void open() noexcept { is_open_ = true; }

  /// Defers `by`'s write until write(). Returns false if it must write at once: no batch is
  /// open, or this one is full.
  [[nodiscard]] bool defer(watcher& by) noexcept {
    if (!is_open_ || count_ == deferred_.size()) return false;
    deferred_[count_++] = &by;
    return true;
  }

  /// Drops the deferred write of `by`.
  void forget(const watcher& by) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (deferred_[i] == &by) deferred_[i] = nullptr;
    }
  }

  /// Closes the batch and calls write_deferred() of its watchers, in the order of defer().
  void write() noexcept {
    is_open_ = false;
    for (std::size_t i = 0; i < count_; ++i) {
      watcher* const by = deferred_[i];
      if (by == nullptr) continue;
      done_unless_memory_fails([by] { by->write_deferred(); });
    }
    count_ = 0;
  }

 private:
  std::array<watcher*, 2 * watchers> deferred_;  // a session may write to both its sides
  std::size_t count_ = 0;
  bool is_open_ = false;
};

}  // namespace scattergate::net
