#pragma once

#include <array>
#include <cstddef>

#include "net/failing_memory.hpp"
#include "net/watcher.hpp"

namespace scattergate::net {

/// The writes that watchers defer while an event_loop calls a batch of watchers. Reading for
/// all, then working for all, then writing for all keeps the code of each stage in the CPU's
/// caches. Thread-safety: use it on the loop's thread only.
class write_batch {
 public:
  /// The most watchers in a batch: enough for the stages to profit, few enough that the bytes
  /// read for all of them stay in the CPU's caches.
  static constexpr std::size_t watchers = 16;

  /// Opens a batch, in which watchers may defer their writes.
  void open() noexcept { is_open_ = true; }

  /// Defers `notified`'s write until write(). Returns false if `notified` must write at once:
  /// no batch is open, or the batch is full.
  [[nodiscard]] bool defer(watcher& notified) noexcept {
    if (!is_open_ || count_ == deferred_.size()) return false;
    deferred_[count_++] = &notified;
    return true;
  }

  /// Drops the deferred write of `notified`.
  void forget(const watcher& notified) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (deferred_[i] == &notified) deferred_[i] = nullptr;
    }
  }

  /// Closes the batch and calls write_deferred() of its watchers, in the order of defer().
  void write() noexcept {
    is_open_ = false;
    for (std::size_t i = 0; i < count_; ++i) {
      watcher* const notified = deferred_[i];
      if (notified == nullptr) continue;
      done_unless_memory_fails([notified] { notified->write_deferred(); });
    }
    count_ = 0;
  }

 private:
  std::array<watcher*, 2 * watchers> deferred_;  // a session may write to both its sides
  std::size_t count_ = 0;
  bool is_open_ = false;
};

}  // namespace scattergate::net
