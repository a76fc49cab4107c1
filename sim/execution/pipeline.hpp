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

/// Reads a collection and runs stages on it. `counted`: how mongos's metric numHostsTargeted
/// counts the read; std::nullopt: not at all. `is_raw`: for a time series: reads buckets, not
/// measurements.
[[nodiscard]] documents run_source(const pipeline_scope& in, const pipeline_source& what,
                                   const collating& collation,
                                   std::optional<counted_command> counted, bool is_raw);

/// Throws command_failure if the simulator doesn't support a stage, or if a stage isn't a
/// document with one field.
void check_stages(const array& stages);

/// Runs one stage: returns its output for `input`.
using stage_function = documents (*)(const pipeline_scope& in, documents input,
                                     const value& operand);
/// The implementation of the stage `name`; null if it isn't supported.
[[nodiscard]] stage_function find_stage(std::string_view name) noexcept;
/// The implementation of the stage `name` if it reads or writes other collections; null
/// otherwise.
[[nodiscard]] stage_function find_join_stage(std::string_view name) noexcept;

/// Whether mongos answers the pipeline itself, without asking a shard: `$listSearchIndexes`
/// (mongo 19bd7993d149: document_source_list_search_indexes.cpp,
/// HostTypeRequirement::kLocalOnly).
[[nodiscard]] bool runs_on_router(const array& stages);

/// The stage `$group`. Returns the stage's output for `input`.
[[nodiscard]] documents group(const pipeline_scope& in, documents input, const value& operand);
/// The stage `$unwind`. Returns the stage's output for `input`.
[[nodiscard]] documents unwind(const pipeline_scope& in, documents input, const value& operand);

/// The stage `$out`. Writes `input` to a collection and returns no documents.
[[nodiscard]] documents out_stage(const pipeline_scope& in, documents input,
                                  const value& operand);
/// The stage `$merge`. Writes `input` to a collection and returns no documents.
[[nodiscard]] documents merge_stage(const pipeline_scope& in, documents input,
                                    const value& operand);

/// A stage's operand as a document. `stage`: the stage's name, for the error. Throws
/// command_failure (failed_to_parse) if it isn't a document.
[[nodiscard]] const document& stage_document(const char* stage, const value& operand);

}  // namespace scattergate::sim
