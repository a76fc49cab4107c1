#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/options/load.hpp"

namespace scattergate::app {

/// Warns on standard error of the collections that couldn't be read (catalog::faults()), at
/// most 100: commands on them are `unknown`. `subcommand`: its name, for the messages.
void warn_of_faults(std::string_view subcommand, const routing::catalog& of);

/// Loads the catalog (which collections are sharded, and how) for the subcommands `verify`,
/// `report` and `advise`.
class catalog_source {
 public:
  /// `source`: a file, `preset:NAME`, or `mongos` for the catalog of the cluster behind the
  /// connection string `uri`. `subcommand`: its name, for warnings and for the appName of this
  /// client in the cluster's logs: scattergate-SUBCOMMAND.
  catalog_source(std::string source, std::string uri, std::string subcommand);
  ~catalog_source();

  /// Loads the catalog, and warns of what couldn't be read in it. If loading fails, the result
  /// has problems and no catalog.
  [[nodiscard]] config::loaded_catalog load();

  /// Loads a cluster's catalog again, because chunks may have moved. Returns null if loading
  /// fails. Also returns null for a file or preset, which doesn't change.
  [[nodiscard]] std::shared_ptr<const routing::catalog> load_newer();

 private:
  struct cluster;

  [[nodiscard]] text::result<std::shared_ptr<const routing::catalog>> load_from_mongos();

  std::string source_;
  std::string uri_;
  std::string subcommand_;
  std::unique_ptr<cluster> cluster_;
};

}  // namespace scattergate::app
