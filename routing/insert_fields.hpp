#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "routing/catalog.hpp"

namespace scattergate::routing {

/// The top-level fields of a document that an insert into a collection of this name is judged
/// by, whichever the database: those that the shard keys' paths begin with, and `_id`, which
/// mongos adds where it is missing.
[[nodiscard]] std::vector<std::string> insert_fields(const catalog& known,
                                                     std::string_view collection);

}  // namespace scattergate::routing
