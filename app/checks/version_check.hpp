#pragma once

#include <string>
#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// A warning if the catalog states a version that we know only in part. A live catalog's
/// version is known exactly, and an unstated one counts as 8.0.
[[nodiscard]] std::vector<text::problem> check_version(const std::string& source,
                                                       const config::loaded_catalog& catalog);

}  // namespace scattergate::app
