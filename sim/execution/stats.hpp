#pragma once

#include "sim/execution/pipeline.hpp"

/// The commands collStats and dbStats, and the stage `$collStats`, which report
/// sizes.
namespace scattergate::sim {

/// Runs collStats and returns the reply. Throws command_failure if the collection doesn't
/// exist.
[[nodiscard]] document run_coll_stats(context& at);
/// Runs the stage `$collStats`: returns a document for each shard of the collection. Throws
/// command_failure if the collection doesn't exist.
[[nodiscard]] documents coll_stats_by_shard(context& at, const std::string& ns,
                                            const document& stage);
/// Runs dbStats and returns the reply.
[[nodiscard]] document run_db_stats(context& at);

}  // namespace scattergate::sim
