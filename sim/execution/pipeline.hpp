#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/execution/command.hpp"
#include "sim/execution/router.hpp"
#include "sim/query/expression.hpp"
#include "sim/values/value.hpp"

/// Runs aggregation pipelines. Shards only apply the leading $match stages; all later stages
/// run on the router, the simulated mongos.
namespace scattergate::sim {

using documents = std::vector<document_ptr>;

/// The context in which the stages of a pipeline run.
struct pipeline_scope {
  context& at;             ///< the running command
  std::string db;          ///< the pipeline's database
  const variables& names;  ///< the variables that expressions may use
  int depth = 0;           ///< nesting depth of the pipeline; 0: the command's own pipeline
};

/// Runs the stages in order on `input`, and returns their output. Throws command_failure
/// (unrecognized_stage and others).
[[nodiscard]] documents run_pipeline(const pipeline_scope& in, documents input,
                                     std::span<const value> stages);

/// Reads a collection and runs stages on it. `is_raw`: for a time series: reads buckets, not
/// measurements.
[[nodiscard]] documents run_source(const pipeline_scope& in, const pipeline_source& what,
                                   const collating& collation, bool is_raw);

/// Throws command_failure if the simulator doesn't support a stage, or if a stage isn't a
/// document with one field.
void check_stages(const array& stages);

/// Whether mongos answers the pipeline itself, without asking a shard: `$listSearchIndexes`
/// (mongo 19bd7993d149: document_source_list_search_indexes.cpp,
/// HostTypeRequirement::kLocalOnly).
[[nodiscard]] bool runs_on_router(const array& stages);

/// A stage's operand as a document. `stage`: the stage's name, for the error. Throws
/// command_failure (failed_to_parse) if it isn't a document.
[[nodiscard]] const document& stage_document(const char* stage, const value& operand);

}  // namespace scattergate::sim
