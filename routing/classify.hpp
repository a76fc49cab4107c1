#pragma once

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// Predicts how mongos will route a command. The result depends on the command and the catalog
/// only. No heap, exceptions or I/O. Resets `memory`; the verdict's views point into it. If
/// memory runs out, the predicted bounds (ranges of the shard key) are wider than mongos's,
/// and verdict::widened is set. A getMore or killCursors gets `unknown` (cursor_not_seen); the
/// caller must replace that by the class of the command that opened the cursor.
///
/// `work`: the message's work budget, a limit on CPU time. Reading spends from it; on return,
/// it contains the rest. If the budget is low, the predicted bounds are wider, as when memory
/// runs out. If the budget is spent, the verdict is `unknown` (work_budget).
[[nodiscard]] verdict classify(const wire::command& command, const catalog& catalog,
                               scratch& memory, wire::work_budget& work) noexcept;

/// Predicts how mongos will route a command, for a caller without a work budget: uses the
/// budget of an uncompressed message of the command's size. Resets `memory`; the verdict's
/// views point into it.
[[nodiscard]] verdict classify(const wire::command& command, const catalog& catalog,
                               scratch& memory) noexcept;

/// The verdict on a message whose body can't be read: `unknown`, with reason::unreadable.
[[nodiscard]] verdict unreadable() noexcept;

}  // namespace scattergate::routing
