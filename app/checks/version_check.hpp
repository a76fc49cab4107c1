#pragma once

#include <string>
#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Warnings, in the name of `source`, if the catalog states a version of mongos whose routing
/// rules, or those on time series, are known only in part. Empty if it states none.
[[nodiscard]] std::vector<text::problem> check_version(const std::string& source,
                                                       const config::loaded_catalog& catalog);

}  // namespace scattergate::app
