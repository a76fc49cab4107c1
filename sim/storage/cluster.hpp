#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/storage/store.hpp"
#include "sim/targeting/chunks.hpp"
#include "sim/targeting/targeting.hpp"
#include "sim/targeting/time_series.hpp"
#include "sim/values/value.hpp"

/// The state of the simulated cluster: databases, collections, shards and their documents.
namespace scattergate::sim {

/// How a sharded collection is distributed: its shard key and chunks.
struct sharding {
  shard_key key;
  chunk_map chunks;
  bool unique = false;  ///< whether the shard key is unique
  timestamp created;    ///< the cluster time when the collection was sharded
  object_id epoch;      ///< identifies this sharding of the collection, in config.collections
};

/// A collection: its definition, and where its documents are.
struct collection {
  std::string ns;
  binary uuid;
  document options;               ///< the arguments of the command create
  std::vector<document> indexes;  ///< the specifications of the indexes; the first is
                                  ///< the index on `_id`
  std::optional<time_series>
      series;  ///< set for a time series, whose stored documents are buckets
  /// The distribution of the stored documents over the shards; std::nullopt: unsharded.
  std::optional<sharding> spread;
  bool is_tracked = false;          ///< unsharded, but listed in config.collections
  std::optional<shard_index> home;  ///< if unsharded: the shard to which the collection was
                                    ///< moved; std::nullopt: the database's primary shard
};

/// A database. Its unsharded collections are on its primary shard, unless they were moved.
struct database {
  std::string name;
  shard_index primary = 0;
  binary uuid;
  timestamp created;
};

/// One shard: its documents, and counts of the commands that have reached the shard.
struct shard {
  std::string name;
  std::string host;
  std::map<std::string, std::shared_ptr<store>, std::less<>> stores;  ///< by namespace
  std::map<std::string, std::int64_t, std::less<>> commands;  ///< counts by the command's name
};

/// What a pipeline reads: a collection, and the stages to run on it.
struct pipeline_source {
  std::string ns;
  array stages;
};

/// The parts of a namespace "db.collection".
struct ns_parts {
  std::string db;
  std::string name;
};
/// Splits a namespace at its first dot. Throws command_failure (invalid_namespace).
[[nodiscard]] ns_parts split_ns(std::string_view ns);

/// The namespace `db.system.buckets.X` of the buckets of a time series `db.X` (mongo:
/// NamespaceString::makeTimeseriesBucketsNamespace).
[[nodiscard]] std::string buckets_of_series(std::string_view ns);
/// The namespace `db.X` of the time series whose buckets are in `db.system.buckets.X`; empty
/// if the namespace has another form.
[[nodiscard]] std::string series_of_buckets(std::string_view ns);

/// The simulated version of MongoDB. It determines the version that the simulator reports, the
/// format of the config database, and the routing.
struct release {
  std::string name = "8.0";            ///< major and minor version
  std::int32_t max_wire_version = 25;  ///< the maxWireVersion in a hello's reply
  std::int32_t patch = 0;              ///< the last part of the full version: 12 in "6.0.12"

  /// Whether this version is `other` ("5.0") or later.
  [[nodiscard]] bool is_since(std::string_view other) const noexcept { return name >= other; }
  /// Whether this version has a change that older versions got in a patch release. `series`
  /// "6.0" and `from` 9 mean 6.0.9 and later releases of 6.0.
  [[nodiscard]] bool has_backport(std::string_view series, std::int32_t from) const noexcept {
    return name == series && patch >= from;
  }
  /// Whether a time series' buckets are in a collection with the series' own name (mongo:
  /// featureFlagCreateViewlessTimeseriesCollections;
  /// jstests/core/timeseries/ddl/timeseries_direct_buckets_access.js at 9beda5b3a51c requires
  /// 9.0).
  [[nodiscard]] bool has_viewless_series() const noexcept { return is_since("9.0"); }
  /// The full version: "6.0.12".
  [[nodiscard]] std::string version() const { return name + "." + std::to_string(patch); }
};

/// Parses a version: "4.4", "5.0", "6.0", "7.0", "8.0", "8.1", "8.2" or "9.0", or a patch
/// release of one of these, such as "6.0.12". std::nullopt for any other text.
[[nodiscard]] std::optional<release> release_named(std::string_view name);

/// The simulated cluster. Thread-safety: one thread at a time.
class cluster {
 public:
  /// Creates a cluster of empty shards, named shard1, shard2, ...
  explicit cluster(std::size_t shard_count);

  /// All shards; a shard_index is a position in this list.
  [[nodiscard]] std::vector<shard>& shards() noexcept { return shards_; }
  [[nodiscard]] const std::vector<shard>& shards() const noexcept { return shards_; }
  /// All databases by name.
  [[nodiscard]] const std::map<std::string, database, std::less<>>& databases() const noexcept {
    return databases_;
  }
  /// All collections by namespace.
  [[nodiscard]] const std::map<std::string, collection, std::less<>>& collections()
      const noexcept {
    return collections_;
  }
  /// The cluster's id, in config.version.
  [[nodiscard]] const object_id& id() const noexcept { return id_; }
  /// The simulated version of MongoDB.
  [[nodiscard]] const release& simulated_release() const noexcept { return release_; }
  /// Sets the simulated version of MongoDB.
  void simulate(release which) { release_ = std::move(which); }
  /// The namespaces of sharded collections that were dropped or renamed, which
  /// config.collections of 4.4 still lists. Doesn't include namespaces created again.
  [[nodiscard]] const std::set<std::string, std::less<>>& tombstones() const noexcept {
    return tombstones_;
  }

  /// The collection with this namespace; null if there is none. Before 9.0,
  /// `db.system.buckets.X` also finds the time series `db.X`. Valid until the collection is
  /// dropped or renamed.
  [[nodiscard]] collection* find(std::string_view ns) noexcept;
  [[nodiscard]] const collection* find(std::string_view ns) const noexcept {
    return const_cast<cluster*>(this)->find(ns);
  }
  /// The collection with this namespace; creates an unsharded one if there is none. Throws
  /// command_failure (invalid_namespace, or command_not_supported_on_view for a view).
  collection& ensure(std::string_view ns);
  /// Creates an unsharded collection. `options`: the arguments of the command create. Throws
  /// command_failure, for example if the collection exists (namespace_exists).
  collection& create(std::string_view ns, const document& options);
  /// Drops a collection with its documents; returns false if there is none.
  bool drop(std::string_view ns);
  /// Drops a database with all its collections; does nothing if there is none.
  void drop_database(std::string_view db);
  /// Renames a collection within its database. `drop_target`: drops an existing collection
  /// with the new name first. Throws command_failure (namespace_not_found, namespace_exists,
  /// command_not_supported).
  void rename(std::string_view from, std::string_view to, bool drop_target);
  /// The database with this name; creates it if there is none.
  database& ensure_database(std::string_view db);

  /// Shards a collection; creates it if there is none. For a time series, `key` names fields of
  /// measurements. Does nothing if the collection is already sharded by this key. Throws
  /// command_failure, for example if the collection is sharded by another key, or has a unique
  /// index that may_be_unique() rejects.
  collection& shard_collection(std::string_view ns, const document& key, bool unique);
  /// Moves the chunk that contains `position`, with the chunk's documents, to another shard.
  /// If a document can't be moved, throws command_failure and moves nothing.
  void move_chunk(collection& of, const array& position, shard_index to);
  /// Extends a sharded collection's key to `key`, which begins with the old key. The chunks
  /// stay on their shards. Throws command_failure (namespace_not_sharded and others).
  collection& refine(std::string_view ns, const document& key);
  /// Changes a sharded collection's key and redistributes the documents over `chunks` chunks.
  /// The collection gets a new UUID. Throws command_failure (namespace_not_sharded and others).
  collection& reshard(std::string_view ns, const document& key, std::size_t chunks);
  /// Makes a sharded collection unsharded, and moves all its documents to one shard. The
  /// collection gets a new UUID. Throws command_failure (namespace_not_sharded and others).
  collection& unshard(std::string_view ns, shard_index to);
  /// Moves an unsharded collection to another shard. Throws command_failure, for example if
  /// there is none (namespace_not_found), or it is sharded (invalid_options).
  void move_collection(std::string_view ns, shard_index to);
  /// The shard with this name or host. Throws command_failure (shard_not_found).
  [[nodiscard]] shard_index shard_named(std::string_view name) const;

  /// Creates an index on all shards. If it throws command_failure (duplicate_key and others),
  /// no shard has the index.
  void create_index(collection& on, const document& specification);
  /// Drops the index named `name` on all shards; does nothing if there is none.
  void drop_index(collection& on, std::string_view name);

  /// The shards that a command with this filter must reach. `of`: the collection; null: `ns`
  /// doesn't exist. `compares_simply`: the command's collation compares strings byte by byte.
  /// `trusts_hashes`: mongos selects the shard by a hash even under a collation, whatever
  /// targeting_rules::sees_collated_hashes says.
  [[nodiscard]] target target_of(const collection* of, std::string_view ns,
                                 const filter_node& filter, bool compares_simply,
                                 bool trusts_hashes = false) const;
  /// All shards that own a part of the collection. `of`: the collection; null: `ns` doesn't
  /// exist.
  [[nodiscard]] std::set<shard_index> owners(const collection* of, std::string_view ns) const;
  /// The shard of an unsharded collection: the shard to which the collection was moved,
  /// otherwise the database's primary shard.
  [[nodiscard]] shard_index home_of(std::string_view ns) const;
  /// The shard that owns a document. `content`: the document in its stored form. Throws
  /// command_failure (shard_key_not_found).
  [[nodiscard]] shard_index place_of(const collection& of, const document& content) const;

  /// The documents of a collection on one shard; creates an empty store if there is none.
  std::shared_ptr<store> store_of(shard_index shard, const collection& of);

  /// Advances the cluster time, and returns the new time.
  timestamp tick();

 private:
  [[nodiscard]] shard_index primary_of(std::string_view ns) const;
  void redistribute(collection& of, std::set<shard_index> from);
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

/// Whether this is a view.
[[nodiscard]] bool is_view(const cluster& in, std::string_view ns) noexcept;
/// Throws command_failure (command_not_supported_on_view) if this is a view.
void check_no_view(const cluster& in, std::string_view ns);
/// What a pipeline of `stages` reads on a collection or view: the collection below all views,
/// and the stages of the views before the given ones. Throws command_failure (165) for views
/// nested deeper than 20.
[[nodiscard]] pipeline_source source_of(const cluster& in, std::string_view ns, array stages);

/// Whether mongos allows a unique index on `index_key` in a collection with this shard key.
/// The index must begin with `_id`, or with all fields of the shard key (mongo:
/// ShardKeyPattern::isIndexUniquenessCompatible).
[[nodiscard]] bool may_be_unique(const shard_key& key, const document& index_key);

// Distributes chunks over shards, identically in every run.

/// The number of chunks of a newly sharded collection, as in MongoDB before 7.2. Two per shard
/// if the key begins with a hashed field, otherwise one in total. `shards`: the number of
/// shards.
[[nodiscard]] std::int64_t default_chunks(const shard_key& key, std::size_t shards);

/// Splits the key space of a sharded collection into `count` chunks of equal width. Assigns
/// consecutive chunks, with their documents, to each shard. Splits by the key's first field: a
/// hashed field by its hash, any other field as if it contained ObjectIds. In a field of
/// another type, all values of this type fall into one chunk.
void lay_out_evenly(cluster& data, collection& of, std::size_t count);

/// Creates the collections of a preset (a predefined database), without documents. The only
/// preset is "yorkie", the database of Yorkie v0.6.38. Returns false for any other name.
[[nodiscard]] bool apply_preset(cluster& data, std::string_view preset);

}  // namespace scattergate::sim
