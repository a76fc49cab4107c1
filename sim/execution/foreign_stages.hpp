#pragma once

#include <string>

#include "sim/execution/command.hpp"

namespace scattergate::sim {

/// Resolves "coll" or {db, coll}, as in `$out` and `$merge`, to a namespace. Throws
/// command_failure (type_mismatch).
[[nodiscard]] std::string named_ns(const std::string& db, const value& target);

/// Rejects stages on a foreign collection that may not be sharded: `$out` in all versions,
/// `$lookup` and `$graphLookup` before 5.1, also in nested pipelines (mongo 4.4:
/// cluster_aggregate.cpp; LiteParsedDocumentSource::allowShardedForeignCollection). Throws
/// command_failure (28769).
void check_foreign(const context& at, const std::string& db, const array& stages);

}  // namespace scattergate::sim
