#pragma once

#include "report/sources/observation.hpp"
#include "wire/bson.hpp"

namespace scattergate::report {

/// Reads an entry of $queryStats (mongo: db/query/query_stats/README.md), which stands for all
/// commands of one shape, driver, application, ...: a made-up command, and what they cost
/// together. Entries with hashed names (transformIdentifiers) are counted as redacted, shapes
/// of which no command can be made as such.
void read_query_stats(wire::document_view entry, observer& to);

}  // namespace scattergate::report
