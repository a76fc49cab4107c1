#pragma once

#include "report/sources/observation.hpp"
#include "wire/bson.hpp"

namespace scattergate::report {

/// Reads an entry of $queryStats (mongo: db/query/query_stats/README.md), which covers all
/// commands of one shape, driver, application and so on. Passes on one made-up command of
/// that shape, with the total cost of all. Skips entries with hashed names
/// (transformIdentifiers), as redacted, and shapes from which no command can be made.
void read_query_stats(wire::document_view entry, observer& to);

}  // namespace scattergate::report
