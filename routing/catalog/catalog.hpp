#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routing/catalog/chunk_map.hpp"
#include "routing/shard_set.hpp"
#include "text/problem.hpp"
#include "wire/bson.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::routing {

/// Records whether commands have used a collection since the last test_and_clear(). Workers
/// call set(); the catalog's owner calls test_and_clear(). Successive catalogs share the mark
/// of a collection. Thread-safety: any thread.
class use_mark {
 public:
  /// Sets the mark. If it is already set, only reads it, so that workers don't contend for its
  /// cache line.
  void set() noexcept {
    if (!is_set_.load(std::memory_order_relaxed))
      is_set_.store(true, std::memory_order_relaxed);
  }

  /// Clears the mark; returns whether it was set.
  [[nodiscard]] bool test_and_clear() noexcept {
    return is_set_.load(std::memory_order_relaxed) &&
           is_set_.exchange(false, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> is_set_{false};
};

/// One field of a shard key.
struct key_field {
  std::string path;     ///< dotted, as in the key pattern
  bool hashed = false;  ///< the key contains the field's hash: {path: "hashed"}
};

/// The rules by which a time-series collection puts its measurements into buckets (mongo:
/// timeseries.idl).
struct time_series {
  /// A year, in seconds: the largest max_span_seconds that MongoDB allows.
  static constexpr std::int64_t longest_span = 31'536'000;

  std::string time_field;  ///< the name of the measurements' time field
  std::string meta_field;  ///< the name of the measurements' meta field; empty if there is none
  std::int64_t max_span_seconds = 0;  ///< the longest time span of a bucket
  std::int64_t rounding_seconds = 0;  ///< every bucket's minimum time is a multiple of this

  /// The default of rounding_seconds for this span, in seconds. Each of MongoDB's
  /// granularities has a span and a rounding: an hour and a minute, a day and an hour, or 30
  /// days and a day. For any other span, returns the span itself (mongo:
  /// getBucketRoundingSecondsFromGranularity).
  [[nodiscard]] static std::int64_t rounding_of(std::int64_t max_span_seconds) noexcept;
  friend bool operator==(const time_series&, const time_series&) = default;
};

/// The catalog's entry for a collection, view or time series. Thread-safety: immutable once
/// built, except for `use`.
class collection {
 public:
  std::string database;
  std::string name;              ///< may be a pattern with * and ?, as may `database`
  std::vector<key_field> key;    ///< empty if the collection isn't sharded
  int hashed_field = -1;         ///< index of the hashed field in `key`, or -1
  bool unique = false;           ///< whether the shard key is unique
  bool simple_collation = true;  ///< whether the collection's default collation is simple
  std::vector<std::byte> default_collation;  ///< the collation's document; empty if it is
                                             ///< simple
  /// Whether this is a time series or the collection with its buckets. catalog_builder::add()
  /// detects a collection of buckets by its name.
  bool is_time_series = false;
  std::optional<time_series> series;  ///< a time series' parameters, if known
  bool is_unreadable = false;  ///< its metadata is unreadable, so commands on it are `unknown`
  std::string view_on;         ///< for a view: its source's name in the same database
  std::vector<std::byte> view_pipeline;  ///< for a view: its pipeline as a BSON array
  chunk_map chunks;                      ///< empty if the chunks aren't known
  /// Set when a command uses the collection; null if use isn't tracked.
  std::shared_ptr<use_mark> use;

  /// Whether the collection has a shard key.
  [[nodiscard]] bool is_sharded() const noexcept { return !key.empty(); }
  /// Whether this is a view.
  [[nodiscard]] bool is_view() const noexcept { return !view_on.empty(); }
  /// The document of the default collation; an empty document if it is simple.
  [[nodiscard]] wire::document_view default_collation_view() const noexcept {
    return wire::document_view::from(default_collation).value_or(wire::document_view{});
  }
  [[nodiscard]] wire::namespace_view ns() const noexcept { return {database, name}; }
  /// Records that a command uses the collection, if use is tracked.
  void note_use() const noexcept {
    if (use != nullptr) use->set();
  }
  /// "database.collection".
  [[nodiscard]] std::string full_name() const { return database + "." + name; }
};

/// A version of mongos. An unknown patch level counts as lower than any other. Therefore
/// `a >= b` is true only if that is certain.
struct server_version {
  static constexpr int unknown_patch = -1;  ///< the patch level isn't known

  std::uint16_t major = 8;    ///< 8 in 8.0.4
  std::uint16_t minor = 0;    ///< 0 in 8.0.4
  int patch = unknown_patch;  ///< 4 in 8.0.4

  /// Whether this version is certainly earlier than `other`.
  [[nodiscard]] constexpr bool precedes(const server_version& other) const noexcept {
    const bool is_same_series = major == other.major && minor == other.minor;
    return is_same_series && patch == unknown_patch ? false : *this < other;
  }
  /// The same version with an unknown patch level.
  [[nodiscard]] constexpr server_version series() const noexcept { return {major, minor}; }
  [[nodiscard]] std::string text() const;  ///< "8.0", "6.0.12"
  friend constexpr auto operator<=>(const server_version&, const server_version&) = default;
};

/// A collection whose metadata can't be read, and why.
struct catalog_fault {
  std::string name_space;  ///< empty if the source doesn't say it
  text::problem why;       ///< the reason, and its place in the source
};

/// The fault as one problem: "keys.yaml:5: db.c: reason".
[[nodiscard]] text::problem as_problem(const catalog_fault& fault);

/// The routing class of commands on a namespace that the catalog doesn't list.
enum class unlisted_policy : std::uint8_t { unsharded, unknown };

/// A snapshot of the cluster's metadata: which collections are sharded, by which key, and where
/// their chunks are. Thread-safety: immutable.
class catalog {
 public:
  /// The entry for a namespace: the one with its name, or else the first pattern that matches
  /// it (find_pattern()); null if there is neither. No heap.
  [[nodiscard]] const collection* find(std::string_view database,
                                       std::string_view name) const noexcept;

  /// All entries: first those that aren't patterns, by database and name; then the patterns.
  [[nodiscard]] std::span<const collection> collections() const noexcept {
    return collections_;
  }
  /// The IDs of all shards that own chunks, sorted. Bit i of a shard_set stands for shard i.
  [[nodiscard]] std::span<const std::string> shards() const noexcept { return shards_; }

  /// The names of top-level fields that may determine a new document's shard, sorted: the first
  /// component of each shard key field's path, the time and meta fields of all time series, and
  /// `_id`, which mongos adds to documents without it.
  [[nodiscard]] std::span<const std::string> key_roots() const noexcept { return key_roots_; }
  /// The version of mongos whose rules apply.
  [[nodiscard]] server_version version() const noexcept { return version_; }

  /// version() if the catalog's source states it; std::nullopt if version() is the default.
  [[nodiscard]] std::optional<server_version> stated_version() const noexcept {
    return is_version_stated_ ? std::optional{version_} : std::nullopt;
  }
  /// The routing class of commands on a namespace without an entry.
  [[nodiscard]] unlisted_policy unlisted() const noexcept { return unlisted_; }

  /// The collections whose metadata couldn't be read, in the order of the source. Those with a
  /// namespace that a collection can have are entries with collection::is_unreadable; for the
  /// others there is no entry.
  [[nodiscard]] std::span<const catalog_fault> faults() const noexcept { return faults_; }

  /// The entry for the collection that contains the buckets of the time series `name`; null if
  /// there is none.
  [[nodiscard]] const collection* buckets_of(std::string_view database,
                                             std::string_view name) const noexcept;

  /// The number of 64-bit words of a shard_set over shards().
  [[nodiscard]] std::size_t shard_words() const noexcept { return (shards_.size() + 63) / 64; }

  /// Whether no catalog has been loaded yet: this is the catalog that absent() returns.
  [[nodiscard]] bool is_absent() const noexcept { return absent_; }

  /// The catalog used until the first one is loaded. By it, the verdict on every command is
  /// `unknown` (reason::no_catalog).
  [[nodiscard]] static std::shared_ptr<const catalog> absent();

 private:
  friend class catalog_builder;
  std::vector<collection> collections_;  // sorted: sort_entries()
  std::vector<std::uint32_t> index_;     // a hash table with open addressing: position in
                                         // collections_ + 1; 0 marks a free slot
  std::vector<std::string> shards_;      // sorted
  std::vector<std::string> key_roots_;
  std::vector<catalog_fault> faults_;
  server_version version_;
  bool is_version_stated_ = false;
  unlisted_policy unlisted_ = unlisted_policy::unsharded;
  bool absent_ = false;
  bool has_buckets_ = false;  // some entry is a collection with buckets
};

/// Encodes one end of a chunk, {key field: value, ...}, and appends the encoding to `to`.
/// Returns an error message if this bound isn't valid for the collection `of`; std::nullopt on
/// success.
[[nodiscard]] std::optional<std::string> append_bound(const collection& of,
                                                      wire::document_view bound,
                                                      std::vector<std::byte>& to);

/// Builds a catalog. For each collection, call add(), then add_chunk() for its chunks, then
/// finish_collection(); finally call build(). Thread-safety: one thread at a time.
class catalog_builder {
 public:
  catalog_builder();
  ~catalog_builder();

  /// Sets the version of mongos; without this call, catalog::stated_version() is std::nullopt.
  void set_version(server_version version) noexcept;
  /// Sets the routing class of commands on a namespace without an entry; default: `unsharded`.
  void set_unlisted(unlisted_policy policy) noexcept;

  /// Adds a collection. The chunks that are added next belong to it. Ignores entry.chunks,
  /// which add_chunk() sets, and entry.hashed_field, which add() computes from the key. Returns
  /// std::nullopt on success. Returns an error message, and adds nothing, if the entry is
  /// invalid. For example, its namespace was already added, or its key repeats a field.
  /// Messages of this class don't name the collection.
  [[nodiscard]] std::optional<std::string> add(collection entry);

  /// Adds a collection whose metadata can't be read: commands on it are `unknown`. Replaces an
  /// entry with this namespace. Of `entry`, only the namespace and `use` matter. `why`: the
  /// reason, and its place in the source. A namespace is named only once in catalog::faults().
  void add_unreadable(const collection& entry, text::problem why);

  /// Adds a chunk to the last collection. Returns an error message if a bound doesn't have
  /// exactly the key's fields in the key's order, or min isn't below max; std::nullopt on
  /// success.
  [[nodiscard]] std::optional<std::string> add_chunk(wire::document_view min,
                                                     wire::document_view max,
                                                     std::string_view shard);

  /// Adds a chunk to the last collection, with bounds that append_bound() encoded. Returns a
  /// message only if no collection is open. REQUIRES: the bounds are encoded for this
  /// collection, and min is below max.
  [[nodiscard]] std::optional<std::string> add_encoded_chunk(bytes_view min, bytes_view max,
                                                             std::string_view shard);

  /// Completes the last collection. If its chunks overlap, or don't cover MinKey to MaxKey,
  /// returns an error message, and keeps the collection without chunks. A collection without
  /// chunks is valid: its chunks are unknown. Returns std::nullopt on success.
  [[nodiscard]] std::optional<std::string> finish_collection();

  /// Returns the catalog, and resets the builder for another one.
  [[nodiscard]] std::shared_ptr<const catalog> build();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace scattergate::routing
