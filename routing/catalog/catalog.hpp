#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routing/catalog/chunk_map.hpp"
#include "routing/catalog/use_mark.hpp"
#include "routing/shard_set.hpp"
#include "wire/bson.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::routing {

/// One field of a shard key.
struct key_field {
  std::string path;  ///< dotted, as in the key pattern
  bool hashed = false;
};

/// The rules by which a time-series collection puts its measurements into buckets (mongo:
/// timeseries.idl).
struct time_series {
  static constexpr std::int64_t longest_span = 31'536'000;  ///< a year; the largest allowed

  std::string time_field;
  std::string meta_field;  ///< empty if there is none
  std::int64_t max_span_seconds = 0;
  std::int64_t rounding_seconds = 0;  ///< a bucket's minimum time is a multiple of it

  /// The default rounding for a span: that of the granularity with this span, otherwise the
  /// span itself (mongo: getBucketRoundingSecondsFromGranularity).
  [[nodiscard]] static std::int64_t rounding_of(std::int64_t max_span_seconds) noexcept;
  friend bool operator==(const time_series&, const time_series&) = default;
};

/// A collection in the catalog. Thread-safety: immutable once built, except for its use mark.
class collection {
 public:
  std::string database;
  std::string name;
  std::vector<key_field> key;  ///< empty: unsharded (unsplittable, or listed as such)
  int hashed_field = -1;       ///< index of the hashed field in `key`, or -1
  bool unique = false;
  bool simple_collation = true;  ///< whether the collection's default collation is simple
  std::vector<std::byte> default_collation;  ///< the collation's document; empty if it is
                                             ///< simple
  /// True also for a time series' buckets; catalog_builder::add() detects these by name.
  bool is_time_series = false;
  std::optional<time_series> series;  ///< a time series' parameters, if known
  bool is_unreadable = false;         ///< listed, but unreadable: commands on it are `unknown`
  std::string view_on;                ///< for a view: its source's name in the same database
  std::vector<std::byte> view_pipeline;  ///< for a view: its pipeline as a BSON array
  chunk_map chunks;                      ///< empty if the chunks aren't known
  /// Records that commands use the collection; null: not tracked.
  std::shared_ptr<use_mark> use;

  [[nodiscard]] bool is_sharded() const noexcept { return !key.empty(); }
  [[nodiscard]] bool is_view() const noexcept { return !view_on.empty(); }
  [[nodiscard]] wire::document_view default_collation_view() const noexcept {
    return wire::document_view::from(default_collation).value_or(wire::document_view{});
  }
  [[nodiscard]] wire::namespace_view ns() const noexcept { return {database, name}; }
  void note_use() const noexcept {
    if (use != nullptr) use->set();
  }
  [[nodiscard]] std::string full_name() const { return database + "." + name; }
};

/// A version of mongos. An unknown patch level counts as the earliest of its series, so `a >=
/// b` is true only if it is certain.
struct server_version {
  static constexpr int unknown_patch = -1;

  std::uint16_t major = 8;
  std::uint16_t minor = 0;
  int patch = unknown_patch;

  /// Whether this version is certainly earlier than `other`.
  [[nodiscard]] constexpr bool precedes(const server_version& other) const noexcept {
    const bool is_same_series = major == other.major && minor == other.minor;
    return is_same_series && patch == unknown_patch ? false : *this < other;
  }
  [[nodiscard]] constexpr server_version series() const noexcept { return {major, minor}; }
  [[nodiscard]] std::string text() const;  ///< "8.0", "6.0.12"
  friend constexpr auto operator<=>(const server_version&, const server_version&) = default;
};

/// The verdict on commands on a namespace that the catalog doesn't list.
enum class unlisted_policy : std::uint8_t { unsharded, unknown };

/// A snapshot of the cluster's metadata: which collections are sharded, by which key, and where
/// their chunks are. Thread-safety: immutable.
class catalog {
 public:
  /// The entry of a namespace: its own, or else that of the longest matching pattern; null if
  /// there is none. No heap.
  [[nodiscard]] const collection* find(std::string_view database,
                                       std::string_view name) const noexcept;

  [[nodiscard]] std::span<const collection> collections() const noexcept {
    return collections_;
  }
  [[nodiscard]] std::span<const std::string> shards() const noexcept { return shards_; }

  /// The first components of all shard keys' paths, and `_id`, which mongos adds to documents.
  /// Sorted.
  [[nodiscard]] std::span<const std::string> key_roots() const noexcept { return key_roots_; }
  [[nodiscard]] server_version version() const noexcept { return version_; }

  /// version(), if the catalog's source states it; std::nullopt if it is a default.
  [[nodiscard]] std::optional<server_version> stated_version() const noexcept {
    return is_version_stated_ ? std::optional{version_} : std::nullopt;
  }
  [[nodiscard]] unlisted_policy unlisted() const noexcept { return unlisted_; }

  /// The collection with the buckets of the time series `name`; null if there is none.
  [[nodiscard]] const collection* buckets_of(std::string_view database,
                                             std::string_view name) const noexcept;

  /// The number of 64-bit words of a shard_set over shards().
  [[nodiscard]] std::size_t shard_words() const noexcept { return (shards_.size() + 63) / 64; }

  /// Whether no catalog has been loaded yet: every command is `unknown` (no_catalog).
  [[nodiscard]] bool is_absent() const noexcept { return absent_; }

  /// The snapshot used until the first catalog is loaded.
  [[nodiscard]] static std::shared_ptr<const catalog> absent();

 private:
  friend class catalog_builder;
  std::vector<collection> collections_;  // sorted: sort_entries()
  std::vector<std::uint32_t> index_;     // open addressing: position + 1, 0 is empty
  std::vector<std::string> shards_;      // sorted
  std::vector<std::string> key_roots_;
  server_version version_;
  bool is_version_stated_ = false;
  unlisted_policy unlisted_ = unlisted_policy::unsharded;
  bool absent_ = false;
  bool has_buckets_ = false;  // an entry is a collection of buckets
};

/// Appends the encoding of a chunk's bound to `to`. Returns a message if the bound is invalid
/// for this collection; std::nullopt on success.
[[nodiscard]] std::optional<std::string> append_bound(const collection& of,
                                                      wire::document_view bound,
                                                      std::vector<std::byte>& to);

/// Builds a catalog: add collections and chunks, then call build(). Thread-safety: one thread
/// at a time.
class catalog_builder {
 public:
  catalog_builder();
  ~catalog_builder();

  void set_version(server_version version) noexcept;
  void set_unlisted(unlisted_policy policy) noexcept;

  /// Begins a collection. Ignores `chunks` and `hashed_field`, which follow from add_chunk()
  /// and the key. If the entry is invalid, returns a message and adds nothing: the namespace is
  /// malformed or exists already, a key field is empty or repeated, several are hashed, a
  /// unique key is hashed, ...
  [[nodiscard]] std::optional<std::string> add(collection entry);

  /// Adds a chunk of the last collection. Returns a message if the bounds don't have exactly
  /// the key's fields in order, or min isn't below max; std::nullopt on success.
  [[nodiscard]] std::optional<std::string> add_chunk(wire::document_view min,
                                                     wire::document_view max,
                                                     std::string_view shard);

  /// Adds a chunk of the last collection, with bounds that append_bound() has encoded.
  /// REQUIRES: they are whole keys of this collection, and min is below max.
  [[nodiscard]] std::optional<std::string> add_encoded_chunk(bytes_view min, bytes_view max,
                                                             std::string_view shard);

  /// Completes the last collection. If its chunks overlap or leave a gap between MinKey and
  /// MaxKey, returns a message with the position, and keeps the collection without chunks. A
  /// collection may have no chunks.
  [[nodiscard]] std::optional<std::string> finish_collection();

  /// Returns the snapshot, and starts a new one.
  [[nodiscard]] std::shared_ptr<const catalog> build();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace scattergate::routing
