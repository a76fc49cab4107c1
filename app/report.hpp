#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/admin_address.hpp"
#include "app/baseline_check.hpp"
#include "app/report_output.hpp"

namespace scattergate::app {

/// The flags of the subcommand `report`. `unset` means that the user hasn't given the flag.
struct report_flags {
  std::vector<std::string> sources;  ///< files, folders, `-`, addresses of daemons and fleets
  bool compare = false;              ///< compare the second of two sources with the first
  std::string catalog;               ///< empty: the sources' own verdicts are used
  /// The connection string of the mongos to read the catalog from, if `catalog` is mongos.
  std::optional<std::string> catalog_uri;
  std::optional<std::string> as;      ///< the kind of every source; unset: detected
  std::optional<std::string> format;  ///< see format_names; unset: text
  std::optional<std::string> by;      ///< how shapes (commands without values) are ranked;
                                      ///< unset: by cost
  std::optional<std::string> top;     ///< a number: how many shapes are listed
  /// The period to report; each a time, a day, or an age (see instant_of()).
  std::optional<std::string> since, until;
  std::string name_space;              ///< a glob; empty: every namespace
  std::vector<std::string> outputs;    ///< files; their names choose the format
  admin_credential_files credentials;  ///< for daemons among the sources
  baseline_flags baseline;
  place_flags places;
};

/// Runs `report`: reports which commands scatter (ask all shards), from any kind of source. A
/// finding is a shape whose commands scatter, because their filter doesn't bound the shard key.
/// Returns the exit status:
/// - 2: a flag is wrong, or something couldn't be read or written (the other sources are still
///   reported)
/// - otherwise 1: there are findings that --fail-on names
/// - otherwise 0
[[nodiscard]] int report(const report_flags& given);

}  // namespace scattergate::app
