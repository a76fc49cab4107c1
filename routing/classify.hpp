#pragma once

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// Predicts how mongos will route a command, from the catalog alone. A pure function: no heap,
/// exceptions or I/O. Resets `memory`, and the verdict points into it. If memory runs out,
/// bounds widen and verdict::widened is set. getMore and killCursors get `unknown`
/// (cursor_not_seen); the caller must fill in the class of the command that opened the cursor.
///
/// `work`: the message's work budget, from which all loops spend. If it runs out, bounds widen
/// (verdict::widened) or, where that isn't possible, the verdict is `unknown` (work_budget).
[[nodiscard]] verdict classify(const wire::command& command, const catalog& catalog,
                               scratch& memory, wire::work_budget& work) noexcept;

/// Predicts how mongos will route a command, with the work budget of a message of its own size;
/// see classify(command, catalog, memory, work).
[[nodiscard]] verdict classify(const wire::command& command, const catalog& catalog,
                               scratch& memory) noexcept;

/// The verdict on a message whose body can't be read.
[[nodiscard]] verdict unreadable() noexcept;

}  // namespace scattergate::routing
