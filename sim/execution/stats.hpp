#pragma once

#include "sim/execution/command.hpp"

/// The commands collStats, dbStats and validate, which report sizes.
namespace scattergate::sim {

/// Runs collStats and returns the reply. Throws command_failure if the collection doesn't
/// exist.
[[nodiscard]] document run_coll_stats(context& at);
/// Runs dbStats and returns the reply.
[[nodiscard]] document run_db_stats(context& at);
/// Runs validate and returns the reply. Throws command_failure if the collection doesn't
/// exist.
[[nodiscard]] document run_validate(context& at);

}  // namespace scattergate::sim
