#pragma once

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// How mongos will route `command`, from the catalog alone. Pure: no heap, no exception, no
/// I/O. Resets `memory` first; the verdict points into it. When it runs out, bounds widen and
/// verdict::widened is set. getMore and killCursors come back `unknown` (cursor_not_seen): who
/// knows the cursor puts its opener's class in.
///
/// Its loops pay from `work`, which is left as they leave it: one budget serves all that is
/// done for a message. What it doesn't reach widens the bounds (verdict::widened), or, where
/// that can't be done, is `unknown` (work_budget).
[[nodiscard]] verdict classify(const wire::command& command, const catalog& catalog,
                               scratch& memory, wire::work_budget& work) noexcept;

/// The same with the budget of a message of the command's own size.
[[nodiscard]] verdict classify(const wire::command& command, const catalog& catalog,
                               scratch& memory) noexcept;

/// The verdict on a message whose body could not be read.
[[nodiscard]] verdict unreadable() noexcept;

}  // namespace scattergate::routing
