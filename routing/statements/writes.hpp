#pragma once

#include "routing/statements/command_options.hpp"
#include "routing/statements/verdict_builder.hpp"

namespace scattergate::routing {

/// Judges each document of an insert.
void judge_inserts(const wire::command& command, const command_options& options,
                   const judging& with, verdict_builder& to) noexcept;

/// Judges each statement of an update.
void judge_updates(const wire::command& command, const command_options& options,
                   const judging& with, verdict_builder& to) noexcept;

/// Judges each statement of a delete.
void judge_deletes(const wire::command& command, const command_options& options,
                   const judging& with, verdict_builder& to) noexcept;

[[nodiscard]] statement judge_find_and_modify(const wire::command& command,
                                              const command_options& options,
                                              const judging& with) noexcept;

/// Judges each operation of a bulkWrite, on its own namespace.
void judge_bulk_write(const wire::command& command, const command_options& options,
                      const judging& with, verdict_builder& to) noexcept;

}  // namespace scattergate::routing
