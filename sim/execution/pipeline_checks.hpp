#pragma once

#include <string>

#include "sim/execution/command.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// Checks the positions of stages in a pipeline and its sub-pipelines. Some stages must be the
/// first, some the last, and some aren't allowed in a `$facet`. A `$match` with `$text` must
/// be the first stage. Throws command_failure (40600 to 40602, 17313) (mongo:
/// pipeline/pipeline.cpp, validateCommon; in earlier versions document_source_facet.cpp,
/// createFromBson).
void check_places(const array& stages);

/// The namespace that the operand of an `$out` or `$merge` names: "coll" or {db, coll}. `db`:
/// the command's database. Throws command_failure (type_mismatch).
[[nodiscard]] std::string named_ns(const std::string& db, const value& target);

/// Checks stages that use other collections, in nested pipelines too. Throws command_failure
/// (28769) if the other collection is sharded and the stage doesn't allow a sharded one. `$out`
/// never allows one. `$lookup` and `$graphLookup` allow one if the simulated version is at
/// least 6.0; MongoDB allows one since 5.1 (mongo 4.4: cluster_aggregate.cpp;
/// LiteParsedDocumentSource::allowShardedForeignCollection). `db`: the command's database.
/// REQUIRES: check_stages(stages) succeeded.
void check_foreign(const context& at, const std::string& db, const array& stages);

}  // namespace scattergate::sim
