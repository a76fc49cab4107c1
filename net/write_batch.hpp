#pragma once

#include <array>
#include <cstddef>

#include "net/failing_memory.hpp"
#include "net/watcher.hpp"

namespace scattergate::net {

/// The writes that watchers defer while an event_loop calls a batch of watchers. First all
/// watchers of the batch read, then all work, then all write. This order keeps the code of each
/// stage in the CPU's caches. Thread-safety: use it only on the loop's thread.
class write_batch {
 public:
  /// The most watchers in a batch. With more, bytes that are read first would leave the CPU's
  /// caches before they are used.
  static constexpr std::size_t watchers = 16;

  /// Opens a batch: until write(), watchers may defer their writes.
  void open() noexcept { is_open_ = true; }

  /// Makes write() call write_deferred() of `notified`. Returns false if no batch is open or
  /// too many writes are deferred; then `notified` must write at once.
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

  /// Closes the batch and calls write_deferred() of all deferred watchers, in the order of
  /// defer(). If a watcher throws std::bad_alloc, continues with the next one.
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
