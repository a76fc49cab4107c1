#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "wire/seeded_hash.hpp"

namespace scattergate::proxy {

/// A queue that is fair among clients. Each client has a FIFO of its own, called a line; the
/// lines take turns (round robin). A new client's first turn comes after one turn of each
/// other client. Each operation takes O(log n) time for n clients. Thread-safety: one thread
/// at a time.
class fair_queue {
  struct line;

 public:
  /// An entry of the queue. The caller owns it, and must not move or destroy it while it is in
  /// the queue.
  class waiter {
   public:
    waiter() = default;
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

   private:
    friend class fair_queue;
    waiter* before_ = nullptr;
    waiter* behind_ = nullptr;
    line* in_ = nullptr;
  };

  [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
  /// The number of waiters of all clients.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The waiter whose turn is next; null if the queue is empty.
  [[nodiscard]] waiter* first() const noexcept {
    return lines_.empty() ? nullptr : lines_.front().first;
  }

  /// Appends `last` to the line of `client`. Throws std::bad_alloc, and then leaves the queue
  /// unchanged. REQUIRES: `last` is in no queue.
  void push(waiter& last, std::string_view client);
  /// Removes first(). If other clients wait, the next turn is another client's. REQUIRES: the
  /// queue isn't empty.
  void pop() noexcept;
  /// Removes a waiter from any position. REQUIRES: `gone` is in this queue.
  void remove(waiter& gone) noexcept;

  /// The waiter to evict from a full queue in favour of a new waiter of `client`: the newest
  /// waiter in the longest line. Null if the new waiter would make the line of `client` at
  /// least as long as the longest line.
  [[nodiscard]] waiter* displaced_by(std::string_view client) const noexcept;

 private:
  struct line {
    std::string client;
    waiter* first = nullptr;
    waiter* last = nullptr;
    std::size_t waiters = 0;
  };
  struct longer {
    bool operator()(const line* a, const line* b) const noexcept {
      return a->waiters != b->waiters ? a->waiters > b->waiters : std::less<>{}(a, b);
    }
  };

  [[nodiscard]] line& line_of(std::string_view client);
  void set_waiters(line& of, std::size_t waiters) noexcept;
  void end(line& empty) noexcept;

  std::list<line> lines_;  // the lines with waiters, in the order of their turns
  std::unordered_map<std::string_view, std::list<line>::iterator, wire::seeded_text_hash,
                     std::equal_to<>>
      by_client_;
  std::set<line*, longer> by_length_;
  std::size_t size_ = 0;
};

}  // namespace scattergate::proxy
