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

/// How much of a cluster's metadata a load reads anew.
enum class load_depth : std::uint8_t {
  collections,  ///< the list of collections, and the chunks of those that changed
  chunks,       ///< also what is new among the chunks of the others
  thorough,     ///< also version, shards and databases, and chunks that could not be had before
  everything,   ///< all of it, as if nothing had been read yet
};

/// How a load ended.
struct load_outcome {
  load_result result = load_result::unchanged;
  std::string detail;              ///< for people: what went wrong; empty where nothing did
  std::string address;             ///< of the mongos that answered; empty where none did
  std::vector<std::string> notes;  ///< what else is worth a line in the log

  /// Ends it so; false, for whoever says that a step of the load failed.
  bool fail(load_result how, std::string why) {
    result = how;
    detail = std::move(why);
    return false;
  }
  bool fail(const mongo_error& error);
};

/// What a load may ask and tell while it runs.
struct load_hooks {
  std::function<void(std::shared_ptr<const routing::catalog>)> publish;
  std::function<bool()> is_stopped = [] { return false; };
  /// So long a collection is in use after a command on it.
  std::chrono::nanoseconds stays_in_use = std::chrono::hours{1};
};

}  // namespace scattergate::config
