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

/// How a sharded collection is spread.
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
      series;                       ///< of a time-series collection: its documents are buckets
  std::optional<sharding> spread;   ///< nothing: unsharded, on its database's primary shard;
                                    ///< of a time series: that of its buckets
  bool is_tracked = false;          ///< unsharded and in config.collections all the same
  std::optional<shard_index> home;  ///< of one that is tracked: where it was moved to
};

struct database {
  std::string name;
  shard_index primary = 0;
  binary uuid;
  timestamp created;
};

/// One shard: its documents, and how many commands of each kind reached it.
struct shard {
  std::string name;
  std::string host;
  std::map<std::string, std::shared_ptr<store>, std::less<>> stores;
  std::map<std::string, std::int64_t, std::less<>> commands;
};

/// `db.collection` in its halves. Throws command_failure (invalid_namespace).
struct ns_parts {
  std::string db;
  std::string name;
};
[[nodiscard]] ns_parts split_ns(std::string_view ns);

/// `db.system.buckets.X` of `db.X` (mongo: NamespaceString::makeTimeseriesBucketsNamespace),
/// and `db.X` of that; empty where it is no such name.
[[nodiscard]] std::string buckets_of_series(std::string_view ns);
[[nodiscard]] std::string series_of_buckets(std::string_view ns);

/// The version of MongoDB that the cluster passes for: what it calls itself, how its config
/// database is written, and how it routes.
struct release {
  std::string name = "8.0";
  std::int32_t max_wire_version = 25;
  std::int32_t patch = 0;

  /// Whether it is `other` ("5.0") or a later one.
  [[nodiscard]] bool is_since(std::string_view other) const noexcept { return name >= other; }
  /// Whether it is the patch release of `series`, or a later one of the same.
  [[nodiscard]] bool has_backport(std::string_view series, std::int32_t from) const noexcept {
    return name == series && patch >= from;
  }
  /// Whether a time series has its buckets under its own name (mongo:
  /// featureFlagCreateViewlessTimeseriesCollections; jstests/core/timeseries/ddl/
  /// timeseries_direct_buckets_access.js at 9beda5b3a51c requires 9.0).
  [[nodiscard]] bool has_viewless_series() const noexcept { return is_since("9.0"); }
  /// "6.0.12".
  [[nodiscard]] std::string version() const { return name + "." + std::to_string(patch); }
};

/// "4.4", "5.0", "6.0", "7.0", "8.0", "8.1", "8.2" or "9.0", or a patch release of one
/// ("6.0.12"); nothing for another one.
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
  /// Namespaces whose sharded collection was dropped, until there is one again.
  [[nodiscard]] const std::set<std::string, std::less<>>& tombstones() const noexcept {
    return tombstones_;
  }

  /// The collection of that name. `db.system.buckets.X` is that of the time series `db.X`,
  /// until a series has its buckets under its own name (9.0).
  [[nodiscard]] collection* find(std::string_view ns) noexcept;
  /// The collection, made (unsharded) where it is missing.
  collection& ensure(std::string_view ns);
  collection& create(std::string_view ns, const document& options);
  bool drop(std::string_view ns);
  void drop_database(std::string_view db);
  void rename(std::string_view from, std::string_view to, bool drop_target);
  database& ensure_database(std::string_view db);

  /// Shards an empty or unsharded collection. Throws command_failure where its unique indexes
  /// don't begin with the key.
  collection& shard_collection(std::string_view ns, const document& key, bool unique);
  /// Moves the chunk that holds `position`, documents included.
  void move_chunk(collection& of, const array& position, shard_index to);
  /// Gives a sharded collection a longer key; its chunks stay where they are.
  collection& refine(std::string_view ns, const document& key);
  /// Gives it another key, and all its documents another place. It is another collection then.
  collection& reshard(std::string_view ns, const document& key, std::size_t chunks);
  /// Brings it to one shard, unsharded.
  collection& unshard(std::string_view ns, shard_index to);
  /// Brings an unsharded collection to another shard. Throws command_failure where there is
  /// none (namespace_not_found), or a sharded one (invalid_options).
  void move_collection(std::string_view ns, shard_index to);
  /// Throws command_failure (shard_not_found).
  [[nodiscard]] shard_index shard_named(std::string_view name) const;

  void create_index(collection& on, const document& specification);
  void drop_index(collection& on, std::string_view name);

  /// Where a command with this filter must go. `trusts_hashes`: a collation doesn't void them.
  [[nodiscard]] target target_of(const collection* of, std::string_view ns,
                                 const filter_node& filter, bool compares_simply,
                                 bool trusts_hashes = false) const;
  /// Every shard that holds a part of the collection.
  [[nodiscard]] std::set<shard_index> owners(const collection* of, std::string_view ns) const;
  /// Where an unsharded collection is: its own shard, else its database's primary one.
  [[nodiscard]] shard_index home_of(std::string_view ns) const;
  /// The one shard where this document lives, as it is stored.
  [[nodiscard]] shard_index place_of(const collection& of, const document& content) const;

  /// The documents of `ns` on a shard; made empty where there were none yet.
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

/// Whether a unique index on `index_key` is one that mongos lets a collection with this shard
/// key have: beginning with `_id`, or with the names of the whole key
/// (mongo: ShardKeyPattern::isIndexUniquenessCompatible).
[[nodiscard]] bool may_be_unique(const shard_key& key, const document& index_key);

}  // namespace scattergate::sim
