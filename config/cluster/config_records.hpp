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

/// The records of a cluster's `config` database in the formats of MongoDB 4.4 to 8.x. The
/// schema is MongoDB's own affair, so they are read leniently: unknown fields count for
/// nothing, and what can't be understood is skipped and counted by whoever reads.
namespace scattergate::config {

/// Which one of several collections of the same name this is. Dropping and sharding anew,
/// refining the key and resharding all make another one.
struct incarnation {
  std::vector<std::byte> uuid;      ///< 16 bytes, or none (before 3.6)
  std::vector<std::byte> epoch;     ///< the ObjectId lastmodEpoch; none where absent or zero
  std::optional<std::uint64_t> at;  ///< `timestamp`, since 5.0

  /// Whether chunks name the collection by its UUID (since 5.0), rather than its namespace.
  [[nodiscard]] bool has_chunks_by_uuid() const noexcept { return at && !uuid.empty(); }
  friend bool operator==(const incarnation&, const incarnation&) = default;
};

/// A record of config.collections.
struct collection_record {
  enum class kind : std::uint8_t {
    sharded,     ///< `made` and `is` are filled in
    unsharded,   ///< tracked and on one shard all the same (unsplittable, since 8.0)
    skipped,     ///< a tombstone (dropped: true, up to 4.4) or a temporary one of resharding
    unreadable,  ///< a sharded collection whose key can't be understood; only the name is known
    nameless,    ///< not even that
  };
  kind what = kind::nameless;
  routing::collection made;  ///< without chunks
  incarnation is;
};
[[nodiscard]] collection_record read_collection(wire::document_view record);

/// A view of `database`, as listCollections tells of it; nothing where it is none, or can't be
/// understood.
[[nodiscard]] std::optional<routing::collection> read_view(std::string_view database,
                                                           wire::document_view listed);

/// A chunk's or a whole collection's version: `lastmod`, Timestamp(major, minor).
struct chunk_version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  friend auto operator<=>(const chunk_version&, const chunk_version&) = default;
};

/// A record of config.chunks. Views into it.
struct chunk_record {
  std::string_view name_space;       ///< up to 4.4; empty later
  std::span<const std::byte> uuid;   ///< since 5.0; else empty
  std::span<const std::byte> epoch;  ///< up to 4.4; else empty
  wire::document_view min;
  wire::document_view max;
  std::string_view shard;
  std::optional<chunk_version> version;  ///< none: no such field, or no Timestamp

  /// Whether this chunk is the collection's: of its UUID, or of its namespace and epoch.
  [[nodiscard]] bool is_of(const routing::collection& of, const incarnation& is) const;
};
[[nodiscard]] std::optional<chunk_record> read_chunk(wire::document_view record);

/// The same of a record that may lack fields: whose chunk it is, and its version.
[[nodiscard]] chunk_record read_chunk_head(wire::document_view record);

/// A record of config.shards: its id and where it is ("rs/h1:27018,h2:27018").
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

/// The clusterId of a record of config.version: an ObjectId's bytes, or none.
[[nodiscard]] std::vector<std::byte> read_cluster_id(wire::document_view record);

/// A server's version as buildInfo tells it ("7.0.14"); nothing where it isn't one.
[[nodiscard]] std::optional<routing::server_version> parse_server_version(
    std::string_view text);

/// The version that a server of this maxWireVersion has at least.
[[nodiscard]] routing::server_version version_of_wire(std::int64_t max_wire_version) noexcept;

}  // namespace scattergate::config
