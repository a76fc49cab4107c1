#pragma once

#include "report/sources/observation.hpp"
#include "wire/bson.hpp"

namespace scattergate::report {

/// Reads an entry of $queryStats (mongo: db/query/query_stats/README.md): the sums of all
/// commands of one shape (a command without its values), driver and application. Passes one
/// made-up command of the shape to `to`, with these sums. An entry is skipped, and counted by
/// `to`, if it has no shape or no commands, if its names are hashed (transformIdentifiers), or
/// if no command can be made up.
void read_query_stats(wire::document_view entry, observer& to);

}  // namespace scattergate::report
