#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/cluster/catalog_facts.hpp"
#include "config/cluster/load_outcome.hpp"
#include "config/driver/mongo_reader.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::config {

/// The views of a cluster, as far as they are known. They aren't in `config`, and a view over a
/// sharded collection stands in that collection's database; views elsewhere are on one shard as
/// a whole.
struct mirrored_views {
  struct database {
    std::vector<routing::collection> made;
    bool is_denied = false;  ///< they could not be listed
  };

  std::map<std::string, database> by_database;
  std::string turn;              ///< the database whose views were listed last
  bool has_told_denial = false;  ///< that some can't be listed
};

/// The part of a load that reads views: each database is asked by a command of its own, some in
/// each load, in turn, and all in a thorough one.
class view_load {
 public:
  /// `most_bytes` is what all records of the mirror may take.
  view_load(mirrored_views& views, mongo_reader& from, load_depth depth,
            const load_hooks& hooks, catalog_facts& facts, std::size_t most_bytes);

  /// Reads those whose turn it is, of the databases that hold sharded collections. False where
  /// mongos no longer answers; `outcome` says so then.
  [[nodiscard]] bool read_some(const std::set<std::string>& databases, load_outcome& outcome);
  /// Reads all others in a thorough load.
  [[nodiscard]] bool read_others(load_outcome& outcome);

  /// What all views take, in bytes of memory.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Whether any are other ones than those that were published.
  [[nodiscard]] bool has_changed() const noexcept { return has_changed_; }
  void note_published() noexcept { has_changed_ = false; }

 private:
  void keep(const std::set<std::string>& databases);
  [[nodiscard]] bool read(const std::string& database, load_outcome& outcome);
  void take(mirrored_views::database& known, std::vector<routing::collection> listed);
  [[nodiscard]] bool note_denied(const std::string& database, const mongo_error& error,
                                 load_outcome& outcome);

  mirrored_views& views_;
  mongo_reader& from_;
  load_depth depth_;
  const load_hooks& hooks_;
  catalog_facts& facts_;
  std::size_t most_bytes_;
  std::size_t listed_ = 0;  // databases
  std::size_t bytes_ = 0;   // over all databases
  bool has_changed_ = false;
};

}  // namespace scattergate::config
