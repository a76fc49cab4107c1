#pragma once

#include "routing/statements/command_options.hpp"
#include "routing/statements/verdict_builder.hpp"

namespace scattergate::routing {

/// Judges each document of an insert, and adds the judgements to `to`.
void judge_inserts(const wire::command& command, const command_options& options,
                   const judging_context& context, verdict_builder& to) noexcept;

/// Judges each statement of an update, and adds the judgements to `to`.
void judge_updates(const wire::command& command, const command_options& options,
                   const judging_context& context, verdict_builder& to) noexcept;

/// Judges each statement of a delete, and adds the judgements to `to`.
void judge_deletes(const wire::command& command, const command_options& options,
                   const judging_context& context, verdict_builder& to) noexcept;

/// Judges a findAndModify by its filter, and by its update if it has one.
[[nodiscard]] statement judge_find_and_modify(const wire::command& command,
                                              const command_options& options,
                                              const judging_context& context) noexcept;

/// Judges each operation of a bulkWrite on its own namespace, and adds the judgements to `to`.
void judge_bulk_write(const wire::command& command, const command_options& options,
                      const judging_context& context, verdict_builder& to) noexcept;

}  // namespace scattergate::routing
