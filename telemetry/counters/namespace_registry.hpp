#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "telemetry/counters/namespace_map.hpp"

namespace scattergate::telemetry {

/// Which (database, collection) pairs have labels of their own, up to the cap, as they are
/// admitted: what a catalog lists has none for that. Labels are valid UTF-8: names that aren't
/// are replaced first, so that two of them can't become one series twice.
///
/// A pair that only strangers have come to is provisional: at most a quarter of the cap, and
/// the first to leave when another pair finds no room. It is an ordinary pair from the first
/// command of a known client on.
///
/// A pair is given back when it has been quiet for long, in such a way that an id never means
/// one pair to one and another pair to others:
///
///     taken ── leave() ──► leaving ── every worker has let_go() ── free_abandoned() ──► free
///       ▲                     │
///       └──── call back ◄─────┘   a worker has a command under way, or meets the pair again
///
/// A worker that has let go has the id in none of its tables and counts nothing under it until
/// it has learnt it here again. So nobody writes the pair's counters when they are closed, and
/// whoever is given the id next begins with none.
///
/// Thread-safety: any thread; a mutex, so asked only when a worker meets a pair first, or when
/// version() tells of news.
class namespace_registry {
 public:
  using labels = namespace_labels;
  using entry = std::pair<namespace_id, labels>;

  /// The longest "db.collection" that MongoDB allows; longer ones get no label.
  static constexpr std::size_t max_name_bytes = 255;

  explicit namespace_registry(std::size_t max_namespaces);

  [[nodiscard]] std::optional<namespace_id> find(std::string_view database,
                                                 std::string_view collection) const;

  /// The pair's id, given now if there is room; else other_namespace, which is counted.
  [[nodiscard]] namespace_id admit(std::string_view database, std::string_view collection);

  /// The pair's id, given now as a provisional one if there is room for those; else nothing.
  [[nodiscard]] std::optional<namespace_id> admit_provisional(std::string_view database,
                                                              std::string_view collection);
  [[nodiscard]] bool is_provisional(namespace_id id) const noexcept {
    return provisional_[id].load(std::memory_order_relaxed);
  }
  /// A known client has come to it: an ordinary pair from now on.
  void confirm(namespace_id id);

  /// A pair was sent away unasked, as size() is capacity(): see giving_way().
  void note_sent_away() noexcept { sent_away_.fetch_add(1, std::memory_order_relaxed); }

  /// The provisional pairs that leave() should be called for: as many as other pairs found no
  /// room since the last call.
  [[nodiscard]] std::vector<namespace_id> giving_way();

  [[nodiscard]] labels labels_of(namespace_id id) const;
  [[nodiscard]] std::size_t capacity() const noexcept {
    return max_ + shared_namespaces;
  }  ///< ids are below it
  [[nodiscard]] std::uint64_t overflow_count() const;
  [[nodiscard]] std::uint64_t given_back_count() const;

  /// How many ids are in use and to stay so, the shared ones included. No lock.
  [[nodiscard]] std::size_t size() const noexcept {
    return size_.load(std::memory_order_acquire);
  }

  /// Moves on whenever a pair is taken, called back or asked to leave. No lock.
  [[nodiscard]] std::uint64_t version() const noexcept {
    return version_.load(std::memory_order_acquire);
  }

  /// All pairs that have labels.
  [[nodiscard]] std::vector<entry> all() const;

  /// One more worker that has to let go of what leaves; for good.
  void add_worker();

  /// For a worker: the pairs that came since the version `since`, which becomes the present
  /// one.
  [[nodiscard]] std::vector<entry> come_since(std::uint64_t& since) const;

  /// For a worker: asks `may_go(id, labels)` of each pair that was asked to leave since the
  /// version `since`, which becomes the present one. Where it says no, the pair is called back;
  /// else the worker has let go of it.
  template <typename MayGo>
  void let_go_since(std::uint64_t& since, const MayGo& may_go) {
    const std::lock_guard lock{mutex_};
    for (namespace_id id = 0; id < slots_.size(); ++id) {
      slot& each = slots_[id];
      if (each.is != state::leaving || each.changed_at <= since) continue;
      if (may_go(id, each.name)) {
        --each.awaited;
      } else {
        call_back(each);
      }
    }
    since = version();
  }

  /// The pairs that may be asked to leave when they are quiet: all but the shared ones.
  [[nodiscard]] std::vector<namespace_id> ordinary() const;

  /// Asks one of these to leave.
  void leave(namespace_id id);

  /// Frees the pairs that every worker has let go of, unless `is_quiet(id)` denies that they
  /// have been quiet since; of the others it may close what was counted.
  template <typename IsQuiet>
  void free_abandoned(const IsQuiet& is_quiet) {
    const std::lock_guard lock{mutex_};
    for (namespace_id id = 0; id < slots_.size(); ++id) {
      if (slots_[id].is != state::leaving || slots_[id].awaited != 0) continue;
      if (is_quiet(id)) {
        free(id);
      } else {
        call_back(slots_[id]);
      }
    }
  }

 private:
  /// One of so many places may be a provisional pair's.
  static constexpr std::size_t provisional_share = 4;

  enum class state : std::uint8_t { free, taken, leaving };
  struct slot {
    labels name;
    state is = state::free;
    std::size_t awaited = 0;       // while leaving: workers that haven't let go
    std::uint64_t changed_at = 0;  // the version that began with its last change of state
  };

  /// That a pair was taken or called back.
  struct news {
    std::uint64_t version = 0;  ///< the slot's changed_at, unless it has changed since
    namespace_id id = 0;
  };

  [[nodiscard]] std::optional<namespace_id> insert(labels pair, bool is_provisional);
  void set_provisional(namespace_id id, bool is_so) noexcept;
  [[nodiscard]] bool is_so(const news& told) const noexcept {
    return slots_[told.id].is == state::taken && slots_[told.id].changed_at == told.version;
  }
  [[nodiscard]] std::optional<namespace_id> free_id();
  void change(slot& of, state to);
  void call_back(slot& of) { change(of, state::taken); }
  void free(namespace_id id);

  mutable std::mutex mutex_;
  const std::size_t max_;
  std::vector<slot> slots_;         // by id
  std::vector<namespace_id> free_;  // those of them that are free
  namespace_map ids_;
  std::vector<news> news_;  // the oldest first: one for each that is taken, and stale ones
  std::size_t workers_ = 0;
  std::unique_ptr<std::atomic<bool>[]> provisional_;  // by id; changed under the mutex
  std::size_t provisional_count_ = 0;
  std::size_t provisional_room_;  // less what gave way; grows again as other pairs leave
  std::atomic<std::uint64_t> sent_away_{0};
  std::uint64_t overflow_ = 0;
  std::uint64_t given_back_ = 0;
  std::atomic<std::size_t> size_{0};
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace scattergate::telemetry
