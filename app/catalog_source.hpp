#pragma once

#include <memory>
#include <string>

#include "config/options/load.hpp"

namespace scattergate::app {

/// Loads the catalog for the subcommands `verify`, `report` and `advise`.
class catalog_source {
 public:
  /// `source`: a file, `preset:NAME`, or `mongos` for the catalog of the cluster behind `uri`.
  /// `reader`: the name by which this client identifies itself to the cluster.
  catalog_source(std::string source, std::string uri, std::string reader);
  ~catalog_source();

  /// Loads the current catalog, or returns problems.
  [[nodiscard]] config::loaded_catalog load();

  /// Loads a cluster's catalog again, because chunks may have moved. Returns null if loading
  /// fails, and for a file or preset, which doesn't change.
  [[nodiscard]] std::shared_ptr<const routing::catalog> load_newer();

 private:
  struct cluster;

  [[nodiscard]] text::result<std::shared_ptr<const routing::catalog>> load_from_mongos();

  std::string source_;
  std::string uri_;
  std::string reader_;
  std::unique_ptr<cluster> cluster_;
};

}  // namespace scattergate::app
