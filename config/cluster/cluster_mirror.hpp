#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/cluster/catalog_facts.hpp"
#include "config/cluster/chunk_set.hpp"
#include "config/cluster/config_records.hpp"
#include "config/cluster/load_outcome.hpp"
#include "config/cluster/mirrored_views.hpp"
#include "config/driver/mongo_reader.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::config {

/// What a mirror keeps at most: a broken server's records may have no end.
struct mirror_bounds {
  /// Over all collections: the chunks of the others stay unknown.
  std::size_t chunks = 200'000;
  /// Of memory, about, for all records. Chunks that don't fit stay unknown; a load whose other
  /// records don't fit fails. For each of 100,000 collections a kilobyte, for 200,000 chunks 35
  /// MB, and as much again.
  std::size_t bytes = std::size_t{256} << 20;
};

/// What has been read of one cluster's metadata so far, and the catalogs made of it. Reads and
/// never writes. A load that fails leaves everything as it was, as far as it hadn't come.
class cluster_mirror {
 public:
  cluster_mirror(mirror_bounds most, catalog_facts& facts);

  /// Reads from `from` and publishes a catalog where anything has changed: one without the new
  /// collections' chunks as soon as it can be made, and one with them.
  [[nodiscard]] load_outcome load(mongo_reader& from, load_depth depth,
                                  const load_hooks& hooks);

 private:
  friend class mirror_load;

  /// A collection of the cluster, and its chunks as far as they are known.
  struct tracked {
    collection_record record;
    std::optional<chunk_set> chunks;
    std::optional<key_only_reason> key_only;  ///< why there are no chunks, or old ones
    unsigned inconsistencies = 0;             ///< in a row
    bool was_listed = false;                  ///< by the load under way
    /// Set by the commands on it, whichever catalog judges them.
    std::shared_ptr<routing::use_mark> use = std::make_shared<routing::use_mark>();
    std::optional<std::chrono::steady_clock::time_point> used_at;  ///< when that was noticed

    [[nodiscard]] bool is_sharded() const noexcept {
      return record.what == collection_record::kind::sharded;
    }
  };

  [[nodiscard]] std::shared_ptr<const routing::catalog> make_catalog() const;

  mirror_bounds most_;
  catalog_facts& facts_;
  std::map<std::string, tracked> collections_;  // by namespace
  mirrored_views views_;
  std::vector<shard_record> shards_;
  std::vector<database_record> databases_;
  std::vector<std::byte> cluster_id_;
  std::optional<routing::server_version> version_;
  std::size_t turn_ = 0;  // whose chunks among the unused are looked at next
  std::optional<std::chrono::steady_clock::time_point> empty_since_;
  std::uint64_t skipped_collections_ = 0;
  bool is_published_ = false;
};

}  // namespace scattergate::config
