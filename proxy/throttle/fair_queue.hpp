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

/// A queue that is fair among clients. Each client has a line, which is FIFO; the lines take
/// turns (round robin). A new client's first turn comes after one turn of each other client. An
/// operation takes at most O(log n), n being the number of clients. Thread-safety: one thread
/// at a time.
class fair_queue {
  struct line;

 public:
  /// An entry of the queue. Its address must not change, and it must not be destroyed, while it
  /// is in the queue.
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
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The waiter whose turn is next; null if the queue is empty.
  [[nodiscard]] waiter* first() const noexcept {
    return lines_.empty() ? nullptr : lines_.front().first;
  }

  /// Appends `last` to the line of `client`. If it throws std::bad_alloc, the queue is
  /// unchanged. REQUIRES: `last` is in no queue.
  void push(waiter& last, std::string_view client);
  /// Removes first(). The next turn is another client's, if another one waits. REQUIRES: the
  /// queue isn't empty.
  void pop() noexcept;
  /// Removes a waiter. REQUIRES: it is in this queue.
  void remove(waiter& gone) noexcept;

  /// The waiter to evict from a full queue to make room for one of `client`: the newest waiter
  /// of the client with the longest line. Null if that line isn't longer than the line that
  /// `client` would have.
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
