#pragma once

#include <string>
#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// A warning where the catalog states a version of which we know a part. A live catalog's
/// version is known in full, and one that isn't stated is taken for 8.0.
[[nodiscard]] std::vector<text::problem> check_version(const std::string& source,
                                                       const config::loaded_catalog& catalog);

}  // namespace scattergate::app
