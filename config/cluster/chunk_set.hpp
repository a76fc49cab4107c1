#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/cluster/config_records.hpp"
#include "routing/catalog/catalog.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// One chunk (a range of shard keys on one shard), to merge into a chunk_set. The bounds are
/// encoded: comparing their bytes orders them as MongoDB orders shard keys.
struct chunk_update {
  std::string min;                       ///< inclusive
  std::string max;                       ///< exclusive
  std::string shard;                     ///< the shard's id
  std::optional<chunk_version> version;  ///< std::nullopt: unknown
};

/// Makes a chunk_update from a record of config.chunks. `of`: the chunk's collection. Returns a
/// problem if the bounds aren't valid for its shard key.
[[nodiscard]] text::result<chunk_update> read_update(const routing::collection& of,
                                                     const chunk_record& from);

/// The chunks of one collection, merged as mongos merges them: a chunk replaces all chunks with
/// lower versions that it overlaps (mongo: s/chunk_manager, ChunkMap::createMerged). So it is
/// enough to read and merge the chunks that have changed since the last read.
class chunk_set {
 public:
  /// Adds chunks, in any order. They are merged from the lowest version to the highest: each
  /// replaces all chunks that it overlaps.
  void merge(std::vector<chunk_update> updates);

  /// Whether the chunks cover all shard keys of `of`, MinKey to MaxKey, without a gap.
  [[nodiscard]] bool is_whole(const routing::collection& of) const;

  /// Whether the set has exactly this chunk: the same bounds, version and shard.
  [[nodiscard]] bool has(const chunk_update& chunk) const;

  /// The highest version of a chunk. std::nullopt if the set is empty, or if a merged chunk had
  /// no version: then only a complete read shows which chunks are newer.
  [[nodiscard]] std::optional<chunk_version> version() const;

  /// The number of chunks.
  [[nodiscard]] std::size_t size() const noexcept { return chunks_.size(); }

  /// The approximate memory of the set, in bytes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes_; }

  /// Adds the chunks to the collection that was added to `builder` last.
  void add_to(routing::catalog_builder& builder) const;

 private:
  // Strings, because short ones, such as an ObjectId's, need no heap.
  struct chunk {
    std::string max;
    std::uint32_t shard = 0;  // index in shards_
    chunk_version version;
  };

  void merge_one(chunk_update update);
  std::uint32_t number_of(std::string_view shard);

  std::map<std::string, chunk, std::less<>> chunks_;  // by min, in the order of the keys
  std::vector<std::string> shards_;
  std::size_t memory_bytes_ = 0;
  bool has_unversioned_ = false;
};

/// The approximate memory of a record of the database `config`, in bytes: exact enough to limit
/// how much a server can make this process store.
[[nodiscard]] std::size_t memory_of(const routing::collection& entry) noexcept;
[[nodiscard]] std::size_t memory_of(const collection_record& record) noexcept;
[[nodiscard]] std::size_t memory_of(const view_record& record) noexcept;
[[nodiscard]] std::size_t memory_of(const shard_record& record) noexcept;
[[nodiscard]] std::size_t memory_of(const database_record& record) noexcept;
[[nodiscard]] std::size_t memory_of(const chunk_update& chunk) noexcept;

}  // namespace scattergate::config
