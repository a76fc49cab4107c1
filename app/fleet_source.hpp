#pragma once

#include <cstddef>
#include <string>

#include "fleet/reading.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Reads a fleet's digest from `mongodb://HOST/DATABASE`; without a database from
/// `scattergate`.
[[nodiscard]] text::result<fleet::fleet_digest> read_fleet(const std::string& uri,
                                                           std::size_t max_rows);

}  // namespace scattergate::app
