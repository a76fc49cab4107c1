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

/// The limits of a cluster_mirror. They protect against a broken server that sends records
/// without end.
struct mirror_bounds {
  /// The maximum number of chunks (ranges of shard keys), over all collections. For a
  /// collection whose chunks don't fit, the chunks stay unknown.
  std::size_t chunks = 200'000;
  /// The approximate maximum memory for all records, in bytes. Chunks that don't fit stay
  /// unknown. If other records don't fit, the load fails. The default is twice the need of
  /// 100,000 collections (about 100 MB) and 200,000 chunks (about 35 MB).
  std::size_t bytes = std::size_t{256} << 20;
};

/// A copy of one cluster's metadata (its database `config`), from which catalogs are made.
/// load() updates the copy. Never writes to the cluster. If a load fails, the records that it
/// has read are kept, and all others stay unchanged. Thread-safety: one thread at a time.
class cluster_mirror {
 public:
  /// `facts` receives counts for metrics, and must outlive this object.
  cluster_mirror(mirror_bounds bounds, catalog_facts& facts);

  /// Reads metadata from the mongos `from`; `depth` says how much. If anything changed, calls
  /// `hooks.publish` with a new catalog: first without the chunks of new collections, as soon
  /// as possible, then with these chunks. The first load reads at least load_depth::thorough.
  [[nodiscard]] load_outcome load(mongo_reader& from, load_depth depth,
                                  const load_hooks& hooks);

 private:
  friend class mirror_load;

  /// A collection of the cluster, and its chunks if they are known.
  struct tracked {
    collection_record record;
    std::optional<chunk_set> chunks;
    std::optional<key_only_reason> key_only;  ///< why the chunks are missing or outdated
    unsigned inconsistencies = 0;             ///< loads in a row that found contradictions
    bool was_listed = false;  ///< whether the current load has listed the collection
    /// Commands on the collection set this flag, so that loads notice that the collection is
    /// in use. All catalogs share it.
    std::shared_ptr<routing::use_mark> use = std::make_shared<routing::use_mark>();
    /// When a load last noticed commands on the collection; std::nullopt: never.
    std::optional<std::chrono::steady_clock::time_point> used_at;

    [[nodiscard]] bool is_sharded() const noexcept {
      return record.what == collection_record::kind::sharded;
    }
  };

  [[nodiscard]] std::shared_ptr<const routing::catalog> make_catalog() const;

  mirror_bounds bounds_;
  catalog_facts& facts_;
  std::map<std::string, tracked> collections_;  // by namespace
  mirrored_views views_;
  std::vector<shard_record> shards_;
  std::vector<database_record> databases_;
  std::vector<std::byte> cluster_id_;
  std::optional<routing::server_version> version_;
  // Each load checks the chunks of some collections that no command uses, in turn. This counts
  // the collections checked so far.
  std::size_t turn_ = 0;
  // When config.collections was first found empty; std::nullopt: it isn't empty.
  std::optional<std::chrono::steady_clock::time_point> empty_since_;
  std::vector<std::string> nameless_;  // why records without a usable name are unreadable
  bool is_published_ = false;
};

}  // namespace scattergate::config
