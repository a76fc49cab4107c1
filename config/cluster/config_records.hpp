#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "wire/bson.hpp"

/// Reads the records of a cluster's database `config`, in the formats of MongoDB 4.4 to 8.x.
/// The schema is internal to MongoDB, so reading is lenient: unknown fields are ignored, and
/// unreadable records are skipped and counted by the caller.
namespace scattergate::config {

/// The identity of a sharded collection. Distinguishes collections that have had the same name
/// at different times: dropping and sharding again, refining the key, and resharding each
/// create a new incarnation.
struct incarnation {
  std::vector<std::byte> uuid;      ///< 16 bytes; empty before 3.6
  std::vector<std::byte> epoch;     ///< the ObjectId lastmodEpoch; empty if absent or zero
  std::optional<std::uint64_t> at;  ///< the field `timestamp`, since 5.0; std::nullopt: absent

  /// Whether chunk records refer to the collection by its UUID (since 5.0) instead of its
  /// namespace.
  [[nodiscard]] bool has_chunks_by_uuid() const noexcept { return at && !uuid.empty(); }
  friend bool operator==(const incarnation&, const incarnation&) = default;
};

/// A record of config.collections, which describes one collection.
struct collection_record {
  enum class kind : std::uint8_t {
    sharded,  ///< sharded: `made` and `is` are valid
    /// Listed in `config`, but on one shard (unsplittable, since 8.0); ignore made.key.
    unsharded,
    /// A tombstone (dropped: true, up to 4.4), or a temporary collection of resharding.
    skipped,
    /// Sharded, but the key or another field is unusable; only the name in `made` is valid.
    unreadable,
    nameless,  ///< even the name is unreadable
  };
  kind what = kind::nameless;  ///< says which members below are valid
  routing::collection made;    ///< the collection, without its chunks
  incarnation is;              ///< the collection's identity
  std::string why;             ///< for `unreadable` and `nameless`: the reason
};
/// Reads a record of config.collections. An unreadable record has the kind `unreadable` or
/// `nameless`.
[[nodiscard]] collection_record read_collection(wire::document_view record);

/// A view, as listCollections describes it.
struct view_record {
  routing::collection
      made;         ///< if the view is unreadable, only the namespace and `use` are valid
  std::string why;  ///< why the view is unreadable; empty if it isn't
};
/// Reads a view of `database` from an entry of listCollections' output; std::nullopt if the
/// entry isn't a view or has no name.
[[nodiscard]] std::optional<view_record> read_view(std::string_view database,
                                                   wire::document_view listed);

/// The version of a chunk or a whole collection: `lastmod`, Timestamp(major, minor).
struct chunk_version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  friend auto operator<=>(const chunk_version&, const chunk_version&) = default;
};

/// A record of config.chunks: a range of a collection's shard keys, and its shard. Views into
/// the record.
struct chunk_record {
  std::string_view name_space;       ///< "db.collection", up to 4.4; empty in later versions
  std::span<const std::byte> uuid;   ///< since 5.0; otherwise empty
  std::span<const std::byte> epoch;  ///< up to 4.4; otherwise empty
  wire::document_view min;           ///< the lower bound, inclusive
  wire::document_view max;           ///< the upper bound, exclusive
  std::string_view shard;            ///< the id of the shard that has the chunk
  std::optional<chunk_version> version;  ///< std::nullopt: no such field, or not a Timestamp

  /// Whether this chunk belongs to the collection `of` with the identity `is`. Compares UUIDs
  /// if both are known, otherwise namespaces and epochs.
  [[nodiscard]] bool is_of(const routing::collection& of, const incarnation& is) const;
};
/// Reads a record of config.chunks; std::nullopt if it is unreadable.
[[nodiscard]] std::optional<chunk_record> read_chunk(wire::document_view record);

/// Reads only the fields of a record of config.chunks that say the chunk's collection and
/// version: ns, uuid, lastmodEpoch and lastmod. All other fields of the result stay empty.
[[nodiscard]] chunk_record read_chunk_head(wire::document_view record);

/// A record of config.shards: its id and its hosts ("rs/h1:27018,h2:27018").
struct shard_record {
  std::string id;
  std::string host;          ///< the shard's members
  bool is_draining = false;  ///< the shard is being removed from the cluster
  friend bool operator==(const shard_record&, const shard_record&) = default;
};
/// Reads a record of config.shards; std::nullopt if it is unreadable.
[[nodiscard]] std::optional<shard_record> read_shard(wire::document_view record);

/// A record of config.databases: a database's name, and the id of its primary shard.
struct database_record {
  std::string name;
  std::string primary;  ///< the id of the database's primary shard
  friend bool operator==(const database_record&, const database_record&) = default;
};
/// Reads a record of config.databases; std::nullopt if it is unreadable.
[[nodiscard]] std::optional<database_record> read_database(wire::document_view record);

/// The clusterId in a record of config.version: an ObjectId's bytes; empty if absent.
[[nodiscard]] std::vector<std::byte> read_cluster_id(wire::document_view record);

/// Parses a server's version as in buildInfo ("7.0.14"); std::nullopt if malformed.
[[nodiscard]] std::optional<routing::server_version> parse_server_version(
    std::string_view text);

/// The latest of the versions 4.0, 4.2, 4.4, 5.0, 6.0, 7.0 and 8.0 with at most this
/// maxWireVersion (from a hello reply): 21 → 7.0. 3.6 if all of them have a higher one.
[[nodiscard]] routing::server_version version_of_wire(std::int64_t max_wire_version) noexcept;

}  // namespace scattergate::config
