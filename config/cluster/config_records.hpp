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

/// The records of a cluster's `config` database, in the formats of MongoDB 4.4 to 8.x. The
/// schema is internal to MongoDB, so reading is lenient: unknown fields are ignored, and
/// unreadable records are skipped and counted by the caller.
namespace scattergate::config {

/// Tells apart collections that had the same name one after the other. Dropping and sharding
/// again, refining the key, and resharding each create a new incarnation.
struct incarnation {
  std::vector<std::byte> uuid;      ///< 16 bytes; empty before 3.6
  std::vector<std::byte> epoch;     ///< the ObjectId lastmodEpoch; empty if absent or zero
  std::optional<std::uint64_t> at;  ///< `timestamp`, since 5.0

  /// Whether chunk records refer to the collection by its UUID (since 5.0) instead of its
  /// namespace.
  [[nodiscard]] bool has_chunks_by_uuid() const noexcept { return at && !uuid.empty(); }
  friend bool operator==(const incarnation&, const incarnation&) = default;
};

/// A record of config.collections.
struct collection_record {
  enum class kind : std::uint8_t {
    sharded,    ///< `made` and `is` are filled in
    unsharded,  ///< tracked, but on one shard (unsplittable, since 8.0)
    /// A tombstone (dropped: true, up to 4.4), or a temporary collection of resharding.
    skipped,
    unreadable,  ///< a sharded collection with an unreadable key; only the name is known
    nameless,    ///< even the name is unreadable
  };
  kind what = kind::nameless;
  routing::collection made;  ///< without chunks
  incarnation is;
};
[[nodiscard]] collection_record read_collection(wire::document_view record);

/// A view of `database`, from listCollections' output; std::nullopt if it isn't a view or is
/// unreadable.
[[nodiscard]] std::optional<routing::collection> read_view(std::string_view database,
                                                           wire::document_view listed);

/// The version of a chunk or a whole collection: `lastmod`, Timestamp(major, minor).
struct chunk_version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  friend auto operator<=>(const chunk_version&, const chunk_version&) = default;
};

/// A record of config.chunks. Its members are views into the record.
struct chunk_record {
  std::string_view name_space;       ///< up to 4.4; empty in later versions
  std::span<const std::byte> uuid;   ///< since 5.0; otherwise empty
  std::span<const std::byte> epoch;  ///< up to 4.4; otherwise empty
  wire::document_view min;
  wire::document_view max;
  std::string_view shard;
  std::optional<chunk_version> version;  ///< std::nullopt: no such field, or not a Timestamp

  /// Whether this chunk belongs to the collection: by UUID, or by namespace and epoch.
  [[nodiscard]] bool is_of(const routing::collection& of, const incarnation& is) const;
};
[[nodiscard]] std::optional<chunk_record> read_chunk(wire::document_view record);

/// Reads only the fields that determine a chunk's collection and version. The record may lack
/// all others.
[[nodiscard]] chunk_record read_chunk_head(wire::document_view record);

/// A record of config.shards: its id and its hosts ("rs/h1:27018,h2:27018").
struct shard_record {
  std::string id;
  std::string host;
  bool is_draining = false;
  friend bool operator==(const shard_record&, const shard_record&) = default;
};
[[nodiscard]] std::optional<shard_record> read_shard(wire::document_view record);

/// A record of config.databases: its name and primary shard.
struct database_record {
  std::string name;
  std::string primary;
  friend bool operator==(const database_record&, const database_record&) = default;
};
[[nodiscard]] std::optional<database_record> read_database(wire::document_view record);

/// The clusterId in a record of config.version: an ObjectId's bytes; empty if absent.
[[nodiscard]] std::vector<std::byte> read_cluster_id(wire::document_view record);

/// Parses a server's version as in buildInfo ("7.0.14"); std::nullopt if malformed.
[[nodiscard]] std::optional<routing::server_version> parse_server_version(
    std::string_view text);

/// The earliest server version with this maxWireVersion.
[[nodiscard]] routing::server_version version_of_wire(std::int64_t max_wire_version) noexcept;

}  // namespace scattergate::config
