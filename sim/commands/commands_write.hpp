#pragma once

#include "sim/execution/command.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {

/// Runs findAndModify and returns the reply. Throws command_failure.
[[nodiscard]] document run_find_and_modify(context& at);

/// Runs bulkWrite (since 8.0), a batch of statements on several collections, and returns the
/// reply. Throws command_failure.
[[nodiscard]] document run_bulk_write(context& at);

/// Whether a delete statement deletes every match: its `limit` is 0, or no number (mongo:
/// write_ops.cpp, readMultiDeleteProperty). Throws command_failure if it is another number.
[[nodiscard]] bool deletes_all(const document& statement);

}  // namespace scattergate::sim
