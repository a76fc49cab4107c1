#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/admin_address.hpp"

namespace scattergate::app {

/// The flags of the subcommand `advise`, which recommends shard keys. `unset` means that the
/// user hasn't given the flag.
struct advise_flags {
  std::vector<std::string> sources;  ///< files, folders, `-`, addresses of daemons
  std::string catalog;               ///< a file, preset:NAME or mongos
  /// The connection string of the mongos to read the catalog from, if `catalog` is mongos.
  std::optional<std::string> catalog_uri;
  std::optional<std::string> as;       ///< the kind of every source; unset: detected
  std::string collection;              ///< the namespace to evaluate; empty: all
  std::vector<std::string> keys;       ///< shard keys to evaluate besides the proposed ones
  std::optional<std::string> indexes;  ///< the file to read the collections' indexes from
  std::optional<std::string> shards;   ///< the number of shards to assume; unset: 3
  std::optional<std::string> format;   ///< text, json or html; unset: text
  bool as_json = false;                ///< short form of the format json
  /// The period to evaluate; each a time, a day, or an age (see instant_of()).
  std::optional<std::string> since, until;
  admin_credential_files credentials;  ///< for daemons among the sources
};

/// Runs `advise`: prints the best shard keys for each collection's traffic. Returns the exit
/// status: 2 if a flag is wrong or something couldn't be read or written, otherwise 0. If one
/// of several sources can't be read, the others are still evaluated.
[[nodiscard]] int advise(const advise_flags& given);

}  // namespace scattergate::app
