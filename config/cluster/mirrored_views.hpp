#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/cluster/catalog_facts.hpp"
#include "config/cluster/config_records.hpp"
#include "config/cluster/load_outcome.hpp"
#include "config/driver/mongo_reader.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::config {

/// The views of a cluster, as far as they are known. They have to be listed database by
/// database, because `config` doesn't have them. Only databases with sharded collections
/// matter: a view over a sharded collection is in the same database, and all other views read
/// from one shard.
struct mirrored_views {
  /// The views of one database, as of the last load that listed them.
  struct database {
    std::vector<view_record> made;  ///< the database's views
    bool is_denied = false;  ///< the user lacks the privilege to list the database's views
    bool is_new = true;      ///< no load has listed the views yet
  };

  /// By name: all databases with sharded collections, as of the last load.
  std::map<std::string, database> by_database;
  std::string turn;  ///< the last database that view_load::read_some() has handled; the next
                     ///< load continues after it
  bool has_logged_denial = false;  ///< whether the log already says that some views can't be
                                   ///< listed
};

/// The part of a mirror_load that reads views. Each database needs a command. Therefore most
/// loads read the views of 20 databases, in turn; only a thorough load reads all. A load with a
/// focus reads those in focus, and new ones, instead.
class view_load {
 public:
  /// `most_bytes`: the memory limit for all of the mirror's records. Views may take a quarter
  /// of this limit, at most 16 MiB.
  view_load(mirrored_views& views, mongo_reader& from, load_depth depth,
            const load_hooks& hooks, catalog_facts& facts, std::size_t most_bytes);

  /// Reads the views of the next 20 of `databases`, which are all databases with sharded
  /// collections; with a focus, those of all databases that are in focus or new. Forgets the
  /// views of all databases that aren't in `databases`. Returns false if mongos no longer
  /// answers or the load is stopped; `outcome` then has the error.
  [[nodiscard]] bool read_some(const std::set<std::string>& databases, load_outcome& outcome);
  /// In a thorough load, reads the views of all databases that read_some() has left out.
  /// Otherwise does nothing. Returns false if mongos no longer answers or the load is stopped;
  /// `outcome` then has the error.
  [[nodiscard]] bool read_others(load_outcome& outcome);

  /// The memory of all views, in bytes.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Whether any view differs from the views in the catalog published last.
  [[nodiscard]] bool has_changed() const noexcept { return has_changed_; }
  /// Call it when a catalog with the current views has been published.
  void note_published() noexcept { has_changed_ = false; }

 private:
  void keep(const std::set<std::string>& databases);
  [[nodiscard]] bool read_focused(load_outcome& outcome);
  [[nodiscard]] bool read(const std::string& database, load_outcome& outcome);
  void set_views(mirrored_views::database& known, std::vector<view_record> listed);
  [[nodiscard]] bool note_denied(const std::string& database, const mongo_error& error,
                                 load_outcome& outcome);

  mirrored_views& views_;
  mongo_reader& from_;
  load_depth depth_;
  const load_hooks& hooks_;
  catalog_facts& facts_;
  std::size_t most_bytes_;
  std::size_t listed_ = 0;  // number of databases whose views this load has read
  std::size_t bytes_ = 0;   // views' memory, over all databases
  bool has_changed_ = false;
};

}  // namespace scattergate::config
