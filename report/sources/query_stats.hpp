#pragma once

#include "report/sources/observation.hpp"
#include "wire/bson.hpp"

namespace scattergate::report {

/// Reads an entry of $queryStats (mongo: db/query/query_stats/README.md): the sums of all
/// commands of one shape (a command without its values), driver and application. Makes up a
/// command of this shape, and passes it with the sums to `to`. `to` counts the entry as skipped
/// if it has no shape or no commands, or if no command can be made up. An entry is also skipped
/// if its names are hashed (transformIdentifiers).
void read_query_stats(wire::document_view entry, observer& to);

}  // namespace scattergate::report
