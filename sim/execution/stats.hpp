#pragma once

#include "sim/execution/command.hpp"

/// The commands collStats, dbStats and validate, which report sizes.
namespace scattergate::sim {

[[nodiscard]] document run_coll_stats(context& at);
[[nodiscard]] document run_db_stats(context& at);
[[nodiscard]] document run_validate(context& at);

}  // namespace scattergate::sim
