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

/// One chunk in the form that a chunk_set takes. Its bounds are encoded, so that comparing
/// their bytes compares them as shard keys.
struct chunk_update {
  std::string min;
  std::string max;
  std::string shard;
  std::optional<chunk_version> version;
};

/// Makes a chunk_update from a record. Returns a problem if its bounds aren't valid for the
/// shard key of `of`.
[[nodiscard]] text::result<chunk_update> read_update(const routing::collection& of,
                                                     const chunk_record& from);

/// The chunks of one collection, merged as mongos does: chunks with later versions replace the
/// chunks that they overlap (mongo: s/chunk_manager, ChunkMap::createMerged). So reading only
/// the chunks that have changed since the last read gives the same result as reading all.
class chunk_set {
 public:
  /// Adds chunks, which may be in any order: those with later versions win.
  void merge(std::vector<chunk_update> updates);

  /// Whether the chunks cover MinKey to MaxKey without a gap.
  [[nodiscard]] bool is_whole(const routing::collection& of) const;

  /// Whether the set holds exactly this chunk, with this version and owner.
  [[nodiscard]] bool has(const chunk_update& chunk) const;

  /// The highest version of a chunk; std::nullopt if the set is empty or some chunk has no
  /// version, so that newer ones can't be determined.
  [[nodiscard]] std::optional<chunk_version> version() const;

  [[nodiscard]] std::size_t size() const noexcept { return chunks_.size(); }

  /// The approximate size in memory, in bytes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes_; }

  /// Adds the chunks to the builder's last collection.
  void add_to(routing::catalog_builder& builder) const;

 private:
  // Strings, because short ones, such as an ObjectId's, need no heap.
  struct chunk {
    std::string max;
    std::uint32_t shard = 0;  // in shards_
    chunk_version version;
  };

  void merge_one(chunk_update update);
  std::uint32_t number_of(std::string_view shard);

  std::map<std::string, chunk, std::less<>> chunks_;  // by min; bytes compare as keys do
  std::vector<std::string> shards_;
  std::size_t memory_bytes_ = 0;
  bool has_unversioned_ = false;
};

}  // namespace scattergate::config
