#pragma once

#include "sim/execution/command.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {

[[nodiscard]] document run_find_and_modify(context& at);

/// The bulkWrite command of MongoDB 8.0: statements on several collections in one batch.
[[nodiscard]] document run_bulk_write(context& at);

}  // namespace scattergate::sim
