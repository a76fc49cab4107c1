#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/admin_address.hpp"

namespace scattergate::app {

/// What `advise` was asked for.
struct advise_flags {
  std::vector<std::string> sources;  ///< those that `report` reads
  std::string catalog;
  std::optional<std::string> catalog_uri;
  std::optional<std::string> as;       ///< a kind of source
  std::string collection;              ///< a namespace; empty: all
  std::vector<std::string> keys;       ///< shard keys to weigh
  std::optional<std::string> indexes;  ///< a file
  std::optional<std::string> shards;   ///< how many
  std::optional<std::string> format;   ///< text, json, html
  bool as_json = false;
  std::optional<std::string> since, until;
  admin_guard_flags guard;
};

/// Says which shard key would serve the traffic of each collection best. 2 where something
/// could not be read; what could be is still weighed.
[[nodiscard]] int advise(const advise_flags& given);

}  // namespace scattergate::app
