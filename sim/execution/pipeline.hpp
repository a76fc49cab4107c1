#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/execution/command.hpp"
#include "sim/query/expression.hpp"
#include "sim/values/value.hpp"

/// Aggregation pipelines. Shards only filter; every later stage runs on the router.
namespace scattergate::sim {

using documents = std::vector<document_ptr>;

/// What a stage may use beside its input.
struct pipeline_scope {
  context& at;
  std::string db;
  const variables& names;
  int depth = 0;  ///< of pipelines inside pipelines
};

/// Runs the stages, one after the other. Throws command_failure, unrecognized_stage and others.
[[nodiscard]] documents run_pipeline(const pipeline_scope& in, documents input,
                                     std::span<const value> stages);

/// Checks that every stage is one that the simulator knows.
void check_stages(const array& stages);

/// One stage's work.
using stage_function = documents (*)(const pipeline_scope& in, documents input,
                                     const value& operand);
[[nodiscard]] stage_function find_stage(std::string_view name) noexcept;
/// Those of stages that look into, or write to, other collections.
[[nodiscard]] stage_function find_join_stage(std::string_view name) noexcept;
/// `$facet` and `$redact`.
[[nodiscard]] stage_function find_branch_stage(std::string_view name) noexcept;
/// `$search` and its kin.
[[nodiscard]] stage_function find_search_stage(std::string_view name) noexcept;

/// Whether mongos answers the pipeline itself, without a shard: `$listSearchIndexes` (mongo
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
