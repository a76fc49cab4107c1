#pragma once

#include <chrono>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/cluster/chunk_set.hpp"
#include "config/cluster/cluster_mirror.hpp"
#include "config/cluster/config_queries.hpp"
#include "config/cluster/mirrored_views.hpp"

namespace scattergate::config {

/// One load of a cluster_mirror, from start to finish: reads the cluster's metadata and updates
/// the mirror. cluster_mirror::load() makes one for each call.
class mirror_load {
 public:
  mirror_load(cluster_mirror& mirror, mongo_reader& from, load_depth depth,
              const load_hooks& hooks);

  /// Runs the load, publishes new catalogs, and returns the result. Call it once.
  [[nodiscard]] load_outcome run();

 private:
  using tracked = cluster_mirror::tracked;
  using batch = std::span<tracked* const>;

  // Steps of the load. Each returns false if the load has failed; outcome_ has the error.
  [[nodiscard]] bool connect();
  [[nodiscard]] bool read_cluster();
  [[nodiscard]] bool read_collections();
  [[nodiscard]] bool is_plausible(std::size_t listed);
  [[nodiscard]] bool read_all_chunks();
  [[nodiscard]] bool read_chunks(tracked& of);
  [[nodiscard]] bool read_newer_chunks(tracked& of, bool& is_consistent);
  [[nodiscard]] bool read_whole(tracked& of, bool& is_consistent);

  [[nodiscard]] std::set<std::string> databases_with_views() const;
  void read_version();
  [[nodiscard]] bool read_shards();
  void merge(std::vector<collection_record> listed);
  void forget_chunks_of(const tracked& of);
  void settle(tracked& of, std::optional<chunk_set> chunks,
              std::optional<key_only_reason> key_only);
  [[nodiscard]] bool is_in_use(tracked& of) const;
  [[nodiscard]] bool must_read(const tracked& of) const;
  [[nodiscard]] std::vector<tracked*> whole_to_read();
  [[nodiscard]] std::vector<tracked*> newer_to_read();

  /// A number of chunks and their memory in bytes: a limit, or what a collection needs.
  struct chunk_room {
    std::size_t chunks = 0;
    std::size_t bytes = 0;

    [[nodiscard]] bool fits(chunk_room into) const noexcept {
      return chunks <= into.chunks && bytes <= into.bytes;
    }
  };
  /// The chunks read for one collection; incomplete if they exceed a limit.
  struct chunk_batch {
    std::vector<chunk_update> chunks;
    std::size_t bytes = 0;

    void add(chunk_update update);
    [[nodiscard]] bool fits(chunk_room into) const noexcept {
      return chunk_room{chunks.size(), bytes}.fits(into);
    }
  };
  [[nodiscard]] chunk_room all_room() const;
  [[nodiscard]] chunk_room room_beside(batch some) const;
  [[nodiscard]] chunk_room room_beside(tracked& one) const {
    tracked* const only = &one;
    return room_beside({&only, 1});
  }
  void publish();
  void publish_if_due();
  void count();

  // Many collections at once.
  [[nodiscard]] bool read_newer_of_all(batch all);
  [[nodiscard]] bool read_whole_of_all(std::vector<tracked*> all);
  [[nodiscard]] bool read_whole_of(batch some);
  [[nodiscard]] bool read_each(batch some);
  [[nodiscard]] mongo_result<std::vector<tracked*>> changed_among(batch some);
  [[nodiscard]] mongo_result<std::vector<std::vector<chunk_update>>> fetch_chunks_of(
      batch some, chunk_room room);

  /// Reads the collection's chunks from a version on, in any order. Stops soon after `room` is
  /// exceeded.
  [[nodiscard]] mongo_result<chunk_batch> fetch_chunks(const tracked& of, bool by_uuid,
                                                       std::optional<chunk_version> from,
                                                       chunk_room room);
  [[nodiscard]] mongo_result<void> read_into(std::string_view collection,
                                             const bson_document& filter,
                                             const bson_document& options,
                                             const mongo_reader::document_sink& sink);
  /// Adds a record's `bytes` to `taken`. Returns false if `taken` then exceeds
  /// mirror_bounds::bytes: the load has failed. `what`: the records' collection, for the
  /// message.
  [[nodiscard]] bool make_room(std::size_t& taken, std::size_t bytes, std::string_view what);
  bool fail(const mongo_error& error) { return outcome_.fail(error); }
  bool fail(load_result result, std::string why) {
    return outcome_.fail(result, std::move(why));
  }

  cluster_mirror& mirror_;
  mongo_reader& from_;
  load_depth depth_;
  const load_hooks& hooks_;
  load_outcome outcome_;
  mongo_server server_;
  view_load views_;
  std::size_t skipped_chunks_ = 0;
  std::size_t chunks_known_ = 0;  // number of chunks, over all collections
  std::size_t chunk_bytes_ = 0;   // memory of the chunks, over all collections
  std::size_t record_bytes_ = 0;  // memory of the list of collections
  bool is_over_ = false;          // mirror_bounds::bytes was exceeded
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point published_ = begun_;
  bool is_dirty_ = false;  // the mirror has changed since the last publish()
};

}  // namespace scattergate::config
