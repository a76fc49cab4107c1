#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wire/namespace_view.hpp"

namespace scattergate::telemetry {

/// The ID of a namespace (a database and collection) that has metric labels of its own. Two IDs
/// are shared by many namespaces: `__other__` for namespaces beyond the limit, `__failed__` for
/// namespaces without a successful command.
using namespace_id = std::uint32_t;
inline constexpr namespace_id other_namespace = 0;    ///< the ID of `__other__`
inline constexpr namespace_id failed_namespace = 1;   ///< the ID of `__failed__`
inline constexpr namespace_id shared_namespaces = 2;  ///< number of shared IDs; greater IDs
                                                      ///< belong to one namespace each
inline constexpr std::string_view other_label = "__other__";
inline constexpr std::string_view failed_label = "__failed__";

/// The database and collection as metric labels: without invalid UTF-8 and invisible characters
/// (text::to_plain()).
struct namespace_labels {
  std::string database;
  std::string collection;

  // NOLINTNEXTLINE(google-explicit-constructor): look-ups accept either form
  operator wire::namespace_view() const noexcept { return {database, collection}; }
};

/// Hashes namespace_labels and namespace_view to the same number, so that a lookup with a view
/// doesn't allocate.
struct namespace_hash {
  using is_transparent = void;
  std::size_t operator()(const wire::namespace_view& pair) const noexcept {
    return wire::seeded_hash(pair);
  }
};
/// Compares namespace_labels and namespace_view without allocating.
struct namespace_equal {
  using is_transparent = void;
  bool operator()(const wire::namespace_view& a, const wire::namespace_view& b) const noexcept {
    return a == b;
  }
};

using namespace_map =
    std::unordered_map<namespace_labels, namespace_id, namespace_hash, namespace_equal>;

/// Assigns IDs to the namespaces (databases and collections) that have metric labels of their
/// own. The number of IDs is limited (the cap). text::to_plain() makes the labels, by replacing
/// invalid UTF-8 and invisible characters. Namespaces whose labels are equal share one ID.
///
/// A namespace is provisional as long as only strangers have used it. A stranger is a client
/// that hasn't authenticated, and none of whose commands has succeeded. Provisional namespaces
/// take at most a quarter of the cap, and are evicted first. The first command of a known
/// client makes the namespace ordinary.
///
/// A namespace without commands for a long time is evicted. Eviction takes several steps, so
/// that an ID never means different namespaces to different workers:
///
///     taken ── leave() ──► leaving ── each worker: release_since() ── free_released() ──► free
///       ▲                     │
///       └───── cancelled ◄────┘   a worker has a pending command, or sees the namespace again
///
/// A worker that has released an ID no longer has it in any table, and counts nothing under it
/// until the registry assigns it again. Therefore no thread writes an ID's counters while they
/// are deleted, and the next namespace with this ID starts at zero.
///
/// Thread-safety: any thread. Takes a mutex, so call it only for namespaces that are new to a
/// worker, or when version() has changed.
class namespace_registry {
 public:
  using labels = namespace_labels;
  using entry = std::pair<namespace_id, labels>;

  /// The maximum size of a database's or a collection's name, in bytes. A namespace with a
  /// longer one gets no ID. MongoDB allows 255 bytes for "db.collection".
  static constexpr std::size_t max_name_bytes = 255;

  /// `max_namespaces`: the cap, the maximum number of IDs without the shared IDs.
  explicit namespace_registry(std::size_t max_namespaces);

  /// The ID of a namespace; std::nullopt if the namespace has none.
  [[nodiscard]] std::optional<namespace_id> find(std::string_view database,
                                                 std::string_view collection) const;

  /// The ID of a namespace that a known client uses. Assigns one if necessary. Makes a
  /// provisional namespace ordinary, and cancels the namespace's eviction. If there is no room
  /// or a name is too long, counts an overflow and returns other_namespace.
  [[nodiscard]] namespace_id admit(std::string_view database, std::string_view collection);

  /// The ID of a namespace that a stranger (a client not known yet) uses. Assigns one if
  /// necessary; the namespace is then provisional: limited in number, and evicted first.
  /// Cancels the namespace's eviction. std::nullopt if there is no room or a name is too long.
  [[nodiscard]] std::optional<namespace_id> admit_provisional(std::string_view database,
                                                              std::string_view collection);
  /// Whether only strangers (clients not known yet) have used the namespace. Lock-free.
  [[nodiscard]] bool is_provisional(namespace_id id) const noexcept {
    return provisional_[id].load(std::memory_order_relaxed);
  }
  /// Makes a provisional namespace ordinary, and cancels its eviction. Call it when a known
  /// client has used the namespace.
  void confirm(namespace_id id);

  /// Counts a namespace for which there is no room. Workers call it instead of admit() if
  /// size() shows that the registry is full. evictable() uses the count.
  void note_refused() noexcept { refused_.fetch_add(1, std::memory_order_relaxed); }

  /// Returns provisional namespaces to evict, at most one for each namespace of a known client
  /// that found no room since the last call. Call leave() for each of them.
  [[nodiscard]] std::vector<namespace_id> evictable();

  /// The maximum number of IDs, including the shared IDs. Every ID is less than this number.
  [[nodiscard]] std::size_t capacity() const noexcept { return max_ + shared_namespaces; }
  /// The number of calls of admit() that found no room, or got a name that is too long.
  [[nodiscard]] std::uint64_t overflow_count() const;
  /// The number of evicted namespaces.
  [[nodiscard]] std::uint64_t evicted_count() const;

  /// The number of IDs in use, including the shared IDs, without IDs that are being evicted.
  /// Lock-free.
  [[nodiscard]] std::size_t size() const noexcept {
    return size_.load(std::memory_order_acquire);
  }

  /// A number that increases whenever a namespace is added, an eviction begins, or an eviction
  /// is cancelled. Lock-free.
  [[nodiscard]] std::uint64_t version() const noexcept {
    return version_.load(std::memory_order_acquire);
  }

  /// All namespaces that have an ID, including the shared IDs and those being evicted.
  [[nodiscard]] std::vector<entry> all() const;

  /// Registers a worker, which can't be undone. Evictions then wait for it, too. Cancels all
  /// evictions under way.
  void add_worker();

  /// For a worker: the namespaces added after version `since`, including those whose eviction
  /// was cancelled. Sets `since` to the current version.
  [[nodiscard]] std::vector<entry> added_since(std::uint64_t& since) const;

  /// For a worker: calls `may_go(id, labels)` for each namespace whose eviction began after
  /// version `since`. If `may_go` returns true, the worker has released the ID; otherwise the
  /// eviction is cancelled. Sets `since` to the current version.
  template <typename MayGo>
  void release_since(std::uint64_t& since, const MayGo& may_go) {
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

  /// The IDs that may be evicted, including provisional ones: all except the shared IDs and
  /// those being evicted.
  [[nodiscard]] std::vector<namespace_id> ordinary() const;

  /// Starts the eviction of a namespace. Does nothing for a shared ID, or if the eviction has
  /// already begun.
  void leave(namespace_id id);

  /// Completes evictions. For each namespace that all workers have released, calls
  /// `is_quiet(id)`: true frees the ID; false cancels the eviction, for example because of new
  /// commands. `is_quiet` may delete the ID's counters.
  template <typename IsQuiet>
  void free_released(const IsQuiet& is_quiet) {
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
  /// One in this many IDs may be provisional.
  static constexpr std::size_t provisional_share = 4;

  enum class state : std::uint8_t { free, taken, leaving };
  struct slot {
    labels name;
    state is = state::free;
    std::size_t awaited = 0;  // while leaving: number of workers that haven't released the ID
    std::uint64_t changed_at = 0;  // version() when `is` last changed
  };

  /// Records that a namespace was added, or that its eviction was cancelled.
  struct change_note {
    std::uint64_t version = 0;  ///< equals the slot's changed_at unless the slot has changed
                                ///< since
    namespace_id id = 0;
  };

  [[nodiscard]] std::optional<namespace_id> insert(labels pair, bool is_provisional);
  void set_provisional(namespace_id id, bool value) noexcept;
  [[nodiscard]] bool is_so(const change_note& note) const noexcept {
    return slots_[note.id].is == state::taken && slots_[note.id].changed_at == note.version;
  }
  [[nodiscard]] std::optional<namespace_id> free_id();
  void change(slot& of, state to);
  void call_back(slot& of) { change(of, state::taken); }
  void free(namespace_id id);

  mutable std::mutex mutex_;
  const std::size_t max_;
  std::vector<slot> slots_;         // by id
  std::vector<namespace_id> free_;  // ids of free slots
  namespace_map ids_;
  std::vector<change_note> changes_;  // oldest first; includes outdated entries
  std::size_t workers_ = 0;
  std::unique_ptr<std::atomic<bool>[]> provisional_;  // by id; modified under the mutex
  std::size_t provisional_count_ = 0;
  std::size_t provisional_room_;  // limit of provisional ids: shrinks when one is evicted to
                                  // make room, grows when another id is freed
  std::atomic<std::uint64_t> refused_{0};
  std::uint64_t overflow_ = 0;
  std::uint64_t given_back_ = 0;
  std::atomic<std::size_t> size_{0};
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace scattergate::telemetry
