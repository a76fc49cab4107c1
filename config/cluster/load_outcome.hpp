#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/cluster/catalog_facts.hpp"
#include "config/driver/mongo_reader.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::config {

/// The part of a cluster's metadata that a load of a cluster_mirror reads again. Each depth
/// includes the previous depths.
enum class load_depth : std::uint8_t {
  collections,  ///< the list of collections, and the chunks of collections that changed
  chunks,       ///< also new chunks of all other collections
  thorough,     ///< also the server version, shards and databases, and chunks that couldn't be
                ///< read before
  everything,   ///< everything, as if nothing had been read yet
};

/// The result of a load of a cluster_mirror.
struct load_outcome {
  load_result result = load_result::unchanged;
  std::string detail;              ///< the error, for people; empty on success
  std::string address;             ///< address of the mongos that answered; empty if none did
  std::vector<std::string> notes;  ///< additional lines for the log

  /// Sets the result to a failure. Returns false, so that a failed step can return this call.
  bool fail(load_result failure, std::string why) {
    result = failure;
    detail = std::move(why);
    return false;
  }
  /// Sets the result to the failure that corresponds to `error`. Returns false.
  bool fail(const mongo_error& error);
};

/// Callbacks and settings that a load of a cluster_mirror uses while it runs.
struct load_hooks {
  /// Called with each new catalog.
  std::function<void(std::shared_ptr<const routing::catalog>)> publish;
  std::function<bool()> is_stopped = [] { return false; };  ///< called between steps; true
                                                            ///< ends the load early
  /// How long a collection counts as in use after a command on it. Loads prefer the chunks of
  /// collections in use.
  std::chrono::nanoseconds stays_in_use = std::chrono::hours{1};
};

}  // namespace scattergate::config
