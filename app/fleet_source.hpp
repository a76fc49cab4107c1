#pragma once

#include <cstddef>
#include <string>

#include "fleet/reading.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Reads the digest (the table of shapes and counts) that a fleet's sidecars have added up in
/// a database. `uri`: such as `mongodb://HOST/DATABASE`; the default database is
/// `scattergate`. Keeps at most `max_rows` rows.
[[nodiscard]] text::result<fleet::fleet_digest> read_fleet(const std::string& uri,
                                                           std::size_t max_rows);

}  // namespace scattergate::app
