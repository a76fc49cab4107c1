#pragma once

#include "sim/execution/command.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {

/// The command findAndModify.
[[nodiscard]] document run_find_and_modify(context& at);

/// The command bulkWrite (since 8.0): statements on several collections in one batch.
[[nodiscard]] document run_bulk_write(context& at);

}  // namespace scattergate::sim
