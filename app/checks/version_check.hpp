#pragma once

#include <string>
#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Warnings, if the catalog states a version of mongos whose routing rules, or rules for time
/// series, scattergate knows only in part. `source`: the place that the warnings name. Empty if
/// the catalog states no version.
[[nodiscard]] std::vector<text::problem> check_version(const std::string& source,
                                                       const config::loaded_catalog& catalog);

}  // namespace scattergate::app
