#pragma once

#include <cstddef>
#include <string>

#include "fleet/reading.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Reads the digest of a fleet: the table of shapes and counts that its sidecars have added up
/// in a database. `uri`: the database's connection string, such as `mongodb://HOST/DATABASE`;
/// without DATABASE, `scattergate`. Keeps at most `max_rows` rows. Returns a problem if the
/// database can't be read.
[[nodiscard]] text::result<fleet::fleet_digest> read_fleet(const std::string& uri,
                                                           std::size_t max_rows);

}  // namespace scattergate::app
