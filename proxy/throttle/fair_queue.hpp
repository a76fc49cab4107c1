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

/// Waiters in a line for each client: in order of arrival within a line, and one of each line
/// in turn. A client that comes anew has its turn when each of the others has had one.
/// Everything is O(1), or O(log n) in the number of clients.
///
/// Thread-safety: one thread at a time.
class fair_queue {
  struct line;

 public:
  /// One who waits, or doesn't. It stays where it is while it waits.
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
  /// Whose turn is next; null where none waits.
  [[nodiscard]] waiter* first() const noexcept {
    return lines_.empty() ? nullptr : lines_.front().first;
  }

  /// Puts `last` at the end of its client's line. Throws std::bad_alloc, and then nothing has
  /// changed. REQUIRES: it doesn't wait.
  void push(waiter& last, std::string_view client);
  /// Takes first() out; the next turn is another client's, where there is one.
  /// REQUIRES: it isn't empty.
  void pop() noexcept;
  /// REQUIRES: it waits.
  void remove(waiter& gone) noexcept;

  /// Who should make room for one more of `client`: the newest waiter of the client that has
  /// the most. Null where `client` would then have more than that one has left.
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

  std::list<line> lines_;  // in the order of their turns
  std::unordered_map<std::string_view, std::list<line>::iterator, wire::seeded_text_hash,
                     std::equal_to<>>
      by_client_;
  std::set<line*, longer> by_length_;
  std::size_t size_ = 0;
};

}  // namespace scattergate::proxy
