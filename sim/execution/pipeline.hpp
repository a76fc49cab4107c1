#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/execution/command.hpp"
#include "sim/query/expression.hpp"
#include "sim/values/value.hpp"

/// Aggregation pipelines. Shards only filter; all later stages run on the router.
namespace scattergate::sim {

using documents = std::vector<document_ptr>;

/// The context that a stage uses besides its input.
struct pipeline_scope {
  context& at;
  std::string db;
  const variables& names;
  int depth = 0;  ///< nesting depth of pipelines
};

/// Runs the stages in order. Throws command_failure (unrecognized_stage and others).
[[nodiscard]] documents run_pipeline(const pipeline_scope& in, documents input,
                                     std::span<const value> stages);

/// Checks that the simulator supports every stage.
void check_stages(const array& stages);

/// The implementation of a stage.
using stage_function = documents (*)(const pipeline_scope& in, documents input,
                                     const value& operand);
[[nodiscard]] stage_function find_stage(std::string_view name) noexcept;
/// The implementation of a stage that reads or writes other collections; null for others.
[[nodiscard]] stage_function find_join_stage(std::string_view name) noexcept;
/// The implementation of `$facet` and `$redact`; null for others.
[[nodiscard]] stage_function find_branch_stage(std::string_view name) noexcept;
/// The implementation of `$search` and similar stages; null for others.
[[nodiscard]] stage_function find_search_stage(std::string_view name) noexcept;

/// Whether mongos itself answers the pipeline, without a shard: `$listSearchIndexes` (mongo
/// 19bd7993d149: document_source_list_search_indexes.cpp, HostTypeRequirement::kLocalOnly).
[[nodiscard]] bool runs_on_router(const array& stages);

/// The stages `$group` and `$unwind`.
[[nodiscard]] documents group(const pipeline_scope& in, documents input, const value& operand);
[[nodiscard]] documents unwind(const pipeline_scope& in, documents input, const value& operand);

/// The stage `$graphLookup`.
[[nodiscard]] documents graph_lookup(const pipeline_scope& in, documents input,
                                     const value& operand);

/// The stages `$out` and `$merge`.
[[nodiscard]] documents out_stage(const pipeline_scope& in, documents input,
                                  const value& operand);
[[nodiscard]] documents merge_stage(const pipeline_scope& in, documents input,
                                    const value& operand);

/// The document operand of a stage. Throws command_failure (failed_to_parse).
[[nodiscard]] const document& stage_document(const char* stage, const value& operand);

}  // namespace scattergate::sim
