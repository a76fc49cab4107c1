#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/admin_address.hpp"

namespace scattergate::app {

/// The flags of `advise`.
struct advise_flags {
  std::vector<std::string> sources;  ///< see `report`
  std::string catalog;
  std::optional<std::string> catalog_uri;
  std::optional<std::string> as;       ///< a kind of source
  std::string collection;              ///< a namespace; empty: all
  std::vector<std::string> keys;       ///< shard keys to evaluate
  std::optional<std::string> indexes;  ///< a file
  std::optional<std::string> shards;   ///< the number of shards
  std::optional<std::string> format;   ///< text, json, html
  bool as_json = false;
  std::optional<std::string> since, until;
  admin_guard_flags guard;
};

/// Prints the best shard key for each collection's traffic. Returns 2 if something could not
/// be read (the rest is still evaluated).
[[nodiscard]] int advise(const advise_flags& given);

}  // namespace scattergate::app
