#pragma once

#include <memory>
#include <string>
#include <vector>

#include "routing/catalog/catalog.hpp"

namespace scattergate::app {

/// Where `verify` and `report` have their catalog from.
class catalog_source {
 public:
  /// `source`: a file, `preset:NAME`, or `mongos`: the cluster behind `uri`, in whose log the
  /// reader is called `reader`.
  catalog_source(std::string source, std::string uri, std::string reader);
  ~catalog_source();

  /// The catalog as it is now; null, and problems() says why, where it can't be had.
  [[nodiscard]] std::shared_ptr<const routing::catalog> load();

  /// The same again, for chunks may have moved; null where it is a file's or a preset's, which
  /// don't.
  [[nodiscard]] std::shared_ptr<const routing::catalog> load_newer();

  [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }

 private:
  struct cluster;

  [[nodiscard]] std::shared_ptr<const routing::catalog> load_from_mongos();

  std::string source_;
  std::string uri_;
  std::string reader_;
  std::unique_ptr<cluster> cluster_;
  std::vector<std::string> problems_;
};

}  // namespace scattergate::app
