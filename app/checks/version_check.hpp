#pragma once

#include <string>
#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Warnings if scattergate knows the routing rules of the catalog's mongos version only in
/// part. Warns about rules for time series and hashed keys only if the catalog has such
/// collections. `source`: the catalog's source, which the warnings name. Returns none if the
/// catalog states no version, or is a preset.
[[nodiscard]] std::vector<text::problem> check_version(const std::string& source,
                                                       const config::loaded_catalog& catalog);

}  // namespace scattergate::app
