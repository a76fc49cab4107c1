#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/admin_address.hpp"

namespace scattergate::app {

/// The flags of the subcommand `advise`.
struct advise_flags {
  std::vector<std::string> sources;  ///< files, folders, `-`, addresses of daemons
  std::string catalog;               ///< a file, preset:NAME or mongos
  /// Connection string of the mongos to read the catalog from.
  std::optional<std::string> catalog_uri;
  std::optional<std::string> as;       ///< the kind of every source; unset: detected
  std::string collection;              ///< the namespace to evaluate; empty: all
  std::vector<std::string> keys;       ///< shard keys to evaluate besides the proposed ones
  std::optional<std::string> indexes;  ///< the file to read the collections' indexes from
  std::optional<std::string> shards;   ///< the number of shards
  std::optional<std::string> format;   ///< text, json or html; unset: text
  bool as_json = false;                ///< short form of the format json
  std::optional<std::string> since, until;  ///< a time, a day, or an age
  admin_credential_files credentials;       ///< for daemons among the sources
};

/// Prints the best shard key for each collection's traffic. Returns the exit status: 2 if a
/// flag is wrong or something couldn't be read or written (other sources are still evaluated),
/// otherwise 0.
[[nodiscard]] int advise(const advise_flags& given);

}  // namespace scattergate::app
