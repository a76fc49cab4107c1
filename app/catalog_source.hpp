#pragma once

#include <memory>
#include <string>

#include "config/options/load.hpp"

namespace scattergate::app {

/// The catalog of `verify` and `report`.
class catalog_source {
 public:
  /// `source`: a file, `preset:NAME`, or `mongos`: the cluster behind `uri`. `reader` is the
  /// client's name in that cluster's log.
  catalog_source(std::string source, std::string uri, std::string reader);
  ~catalog_source();

  /// Loads the current catalog, or returns problems.
  [[nodiscard]] config::loaded_catalog load();

  /// Loads it again, because chunks may have moved; null for a file or preset, which doesn't
  /// change.
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
