#pragma once

#include <memory>
#include <string>

#include "config/options/load.hpp"

namespace scattergate::app {

/// Where `verify` and `report` have their catalog from.
class catalog_source {
 public:
  /// `source`: a file, `preset:NAME`, or `mongos`: the cluster behind `uri`, in whose log the
  /// reader is called `reader`.
  catalog_source(std::string source, std::string uri, std::string reader);
  ~catalog_source();

  /// The catalog as it is now, or problems.
  [[nodiscard]] config::loaded_catalog load();

  /// The same again, for chunks may have moved; null where it is a file's or a preset's, which
  /// don't.
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
