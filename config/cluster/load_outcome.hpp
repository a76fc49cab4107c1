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

/// The part of a cluster's metadata that a load reads again. Each depth includes the previous
/// ones.
enum class load_depth : std::uint8_t {
  collections,  ///< the list of collections, and the chunks of those that changed
  chunks,       ///< also new chunks of the other collections
  thorough,     ///< also version, shards and databases, and chunks that couldn't be read before
  everything,   ///< everything, as if nothing had been read yet
};

/// The result of a load.
struct load_outcome {
  load_result result = load_result::unchanged;
  std::string detail;              ///< what failed, for people; empty on success
  std::string address;             ///< address of the mongos that answered; empty if none did
  std::vector<std::string> notes;  ///< further lines for the log

  /// Sets the result. Returns false, so that a failed step can return it.
  bool fail(load_result how, std::string why) {
    result = how;
    detail = std::move(why);
    return false;
  }
  bool fail(const mongo_error& error);
};

/// Callbacks that a load uses while it runs.
struct load_hooks {
  /// Called with each new catalog.
  std::function<void(std::shared_ptr<const routing::catalog>)> publish;
  std::function<bool()> is_stopped = [] { return false; };  ///< true ends the load early
  /// The time that a collection counts as in use after a command on it.
  std::chrono::nanoseconds stays_in_use = std::chrono::hours{1};
};

}  // namespace scattergate::config
