#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/cluster/catalog_facts.hpp"
#include "config/driver/mongo_reader.hpp"
#include "routing/catalog/catalog.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::config {

/// How much of a cluster's metadata a load of a cluster_mirror reads again. Each depth includes
/// the previous depths.
enum class load_depth : std::uint8_t {
  collections,  ///< the list of collections, and the chunks of new collections
  /// Also new chunks of all collections in use, and of up to 500 others, in turn.
  chunks,
  thorough,    ///< also the server version, shards and databases, and chunks that couldn't be
               ///< read before
  everything,  ///< everything, as if nothing had been read yet
};

/// The namespaces that a load of a cluster_mirror must read again, even if it leaves others for
/// later loads: those that commands have changed, and those on which waiting commands depend.
class load_focus {
 public:
  /// Adds a namespace. An empty collection: all collections of the database. An empty database:
  /// everything.
  void add(wire::namespace_view ns);
  void add(const load_focus& other);  ///< adds all namespaces of `other`

  [[nodiscard]] bool is_empty() const noexcept { return !is_all_ && names_.empty(); }
  /// Whether everything must be read again: this was requested, or there are too many
  /// namespaces (more than 1,024).
  [[nodiscard]] bool is_all() const noexcept { return is_all_; }
  /// Whether the load must read this namespace again.
  [[nodiscard]] bool has(wire::namespace_view ns) const noexcept;
  /// Whether the load must read a namespace of this database again.
  [[nodiscard]] bool has_database(std::string_view name) const noexcept;

 private:
  // The collections of each database; an empty name stands for all.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> names_;
  std::size_t size_ = 0;
  bool is_all_ = false;
};

/// The result of a load of a cluster_mirror.
struct load_outcome {
  load_result result = load_result::unchanged;
  std::string detail;              ///< the error, for people; empty on success
  std::string address;             ///< address of the mongos that answered; empty if none did
  std::vector<std::string> notes;  ///< additional lines for the log
  std::uint64_t number = 0;        ///< the load's number (load_order::number)

  /// Sets `result` to this failure, and `detail` to `why`. Always returns false, so that a step
  /// can return this call to say that it has failed.
  bool fail(load_result failure, std::string why) {
    result = failure;
    detail = std::move(why);
    return false;
  }
  /// Sets `result` and `detail` to the failure that corresponds to `error`. Always returns
  /// false.
  bool fail(const mongo_error& error);
};

/// Callbacks and settings that a load of a cluster_mirror uses while it runs.
struct load_hooks {
  /// Called with each new catalog.
  std::function<void(std::shared_ptr<const routing::catalog>)> publish;
  /// Called between steps and records; true ends the load early, as failed.
  std::function<bool()> is_stopped = [] { return false; };
  /// How long a collection counts as in use after a command on it. Loads read the chunks of
  /// collections in use first, and look for their new chunks most often.
  std::chrono::nanoseconds stays_in_use = std::chrono::hours{1};
  load_focus focus{};  ///< the namespaces that the load must read again
};

}  // namespace scattergate::config
