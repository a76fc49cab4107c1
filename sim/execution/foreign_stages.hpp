#pragma once

#include <string>

#include "sim/execution/command.hpp"

namespace scattergate::sim {

/// "coll" or {db, coll}, as `$out`, `$merge` and others name a collection, as a namespace.
/// Throws command_failure (type_mismatch).
[[nodiscard]] std::string named_ns(const std::string& db, const value& target);

/// Refuses stages on a foreign collection that may not be sharded: `$out` in all versions,
/// `$lookup` and `$graphLookup` before 5.1, in pipelines inside the pipeline too (mongo 4.4:
/// cluster_aggregate.cpp; LiteParsedDocumentSource::allowShardedForeignCollection). Throws
/// command_failure (28769).
void check_foreign(const context& at, const std::string& db, const array& stages);

}  // namespace scattergate::sim
