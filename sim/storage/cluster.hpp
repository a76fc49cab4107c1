#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/storage/store.hpp"
#include "sim/targeting/chunks.hpp"
#include "sim/targeting/shard_key.hpp"
#include "sim/targeting/targeting.hpp"
#include "sim/targeting/time_series.hpp"
#include "sim/values/value.hpp"

/// The cluster's state: databases, collections, shards and their documents.
namespace scattergate::sim {

/// The distribution of a sharded collection.
struct sharding {
  shard_key key;
  chunk_map chunks;
  bool unique = false;
  timestamp created;
  object_id epoch;
};

struct collection {
  std::string ns;
  binary uuid;
  document options;
  std::vector<document> indexes;  ///< their specifications; the first is that of `_id`
  std::optional<time_series>
      series;  ///< for a time-series collection, whose documents are buckets
  std::optional<sharding> spread;  ///< empty: unsharded, on its database's primary shard; for a
                                   ///< time series: of its buckets
  bool is_tracked = false;         ///< unsharded, but in config.collections
  std::optional<shard_index> home;  ///< for a tracked one: where it was moved to
};

struct database {
  std::string name;
  shard_index primary = 0;
  binary uuid;
  timestamp created;
};

/// One shard: its documents, and counts of the commands that reached it, by kind.
struct shard {
  std::string name;
  std::string host;
  std::map<std::string, std::shared_ptr<store>, std::less<>> stores;
  std::map<std::string, std::int64_t, std::less<>> commands;
};

/// The parts of `db.collection`. Throws command_failure (invalid_namespace).
struct ns_parts {
  std::string db;
  std::string name;
};
[[nodiscard]] ns_parts split_ns(std::string_view ns);

/// `db.system.buckets.X` for `db.X` (mongo: NamespaceString::makeTimeseriesBucketsNamespace),
/// and the reverse; empty if the name has another form.
[[nodiscard]] std::string buckets_of_series(std::string_view ns);
[[nodiscard]] std::string series_of_buckets(std::string_view ns);

/// The simulated version of MongoDB: the version it reports, the format of its config database,
/// and its routing.
struct release {
  std::string name = "8.0";
  std::int32_t max_wire_version = 25;
  std::int32_t patch = 0;

  /// Whether it is `other` ("5.0") or later.
  [[nodiscard]] bool is_since(std::string_view other) const noexcept { return name >= other; }
  /// Whether it is the patch release `from` of `series`, or a later one of that series.
  [[nodiscard]] bool has_backport(std::string_view series, std::int32_t from) const noexcept {
    return name == series && patch >= from;
  }
  /// Whether a time series has its buckets under its own name (mongo:
  /// featureFlagCreateViewlessTimeseriesCollections;
  /// jstests/core/timeseries/ddl/timeseries_direct_buckets_access.js at 9beda5b3a51c requires
  /// 9.0).
  [[nodiscard]] bool has_viewless_series() const noexcept { return is_since("9.0"); }
  /// "6.0.12".
  [[nodiscard]] std::string version() const { return name + "." + std::to_string(patch); }
};

/// "4.4", "5.0", "6.0", "7.0", "8.0", "8.1", "8.2" or "9.0", or a patch release of one
/// ("6.0.12"); std::nullopt for any other.
[[nodiscard]] std::optional<release> release_named(std::string_view name);

class cluster {
 public:
  explicit cluster(std::size_t shard_count);

  [[nodiscard]] std::vector<shard>& shards() noexcept { return shards_; }
  [[nodiscard]] const std::vector<shard>& shards() const noexcept { return shards_; }
  [[nodiscard]] const std::map<std::string, database, std::less<>>& databases() const noexcept {
    return databases_;
  }
  [[nodiscard]] const std::map<std::string, collection, std::less<>>& collections()
      const noexcept {
    return collections_;
  }
  [[nodiscard]] const object_id& id() const noexcept { return id_; }
  [[nodiscard]] const release& passes_for() const noexcept { return release_; }
  void pass_for(release which) { release_ = std::move(which); }
  /// Namespaces whose sharded collection was dropped, until one is created again.
  [[nodiscard]] const std::set<std::string, std::less<>>& tombstones() const noexcept {
    return tombstones_;
  }

  /// The collection with this name. Before 9.0 `db.system.buckets.X` returns the time series
  /// `db.X`; then a series has its buckets under its own name.
  [[nodiscard]] collection* find(std::string_view ns) noexcept;
  /// The collection; created, unsharded, if missing.
  collection& ensure(std::string_view ns);
  collection& create(std::string_view ns, const document& options);
  bool drop(std::string_view ns);
  void drop_database(std::string_view db);
  void rename(std::string_view from, std::string_view to, bool drop_target);
  database& ensure_database(std::string_view db);

  /// Shards an empty or unsharded collection. Throws command_failure if a unique index doesn't
  /// begin with the key.
  collection& shard_collection(std::string_view ns, const document& key, bool unique);
  /// Moves the chunk that contains `position`, with its documents.
  void move_chunk(collection& of, const array& position, shard_index to);
  /// Extends a sharded collection's key; its chunks stay where they are.
  collection& refine(std::string_view ns, const document& key);
  /// Changes a collection's key, which moves all its documents; it is a new collection then.
  collection& reshard(std::string_view ns, const document& key, std::size_t chunks);
  /// Moves it to one shard, unsharded.
  collection& unshard(std::string_view ns, shard_index to);
  /// Moves an unsharded collection to another shard. Throws command_failure if there is none
  /// (namespace_not_found), or a sharded one (invalid_options).
  void move_collection(std::string_view ns, shard_index to);
  /// Throws command_failure (shard_not_found).
  [[nodiscard]] shard_index shard_named(std::string_view name) const;

  void create_index(collection& on, const document& specification);
  void drop_index(collection& on, std::string_view name);

  /// The target of a command with this filter. `trusts_hashes`: hashes count under any
  /// collation.
  [[nodiscard]] target target_of(const collection* of, std::string_view ns,
                                 const filter_node& filter, bool compares_simply,
                                 bool trusts_hashes = false) const;
  /// Every shard that holds a part of the collection.
  [[nodiscard]] std::set<shard_index> owners(const collection* of, std::string_view ns) const;
  /// The shard of an unsharded collection: its own, or else its database's primary shard.
  [[nodiscard]] shard_index home_of(std::string_view ns) const;
  /// The shard of this document, given in its stored form.
  [[nodiscard]] shard_index place_of(const collection& of, const document& content) const;

  /// The documents of `ns` on a shard; created empty if missing.
  std::shared_ptr<store> store_of(shard_index where, const collection& of);

  /// The next cluster time.
  timestamp tick();

 private:
  [[nodiscard]] shard_index primary_of(std::string_view ns) const;
  void place_again(collection& of, std::set<shard_index> from);
  [[nodiscard]] std::set<shard_index> every_shard() const;
  [[nodiscard]] collection& sharded(std::string_view ns);
  [[nodiscard]] sharding spread_by(const collection& of, const shard_key& key, bool unique,
                                   shard_index owner);
  void support(collection& of, const shard_key& key, bool unique);

  std::vector<shard> shards_;
  std::map<std::string, database, std::less<>> databases_;
  std::map<std::string, collection, std::less<>> collections_;
  object_id id_;
  timestamp time_;
  std::uint64_t uuids_ = 0;
  release release_;
  std::set<std::string, std::less<>> tombstones_;
};

/// Whether mongos allows a unique index on `index_key` with this shard key: it must begin with
/// `_id`, or with the names of the whole key (mongo:
/// ShardKeyPattern::isIndexUniquenessCompatible).
[[nodiscard]] bool may_be_unique(const shard_key& key, const document& index_key);

}  // namespace scattergate::sim
