#pragma once

#include "sim/execution/command.hpp"
#include "sim/execution/pipeline.hpp"

/// Change streams: events about the changes that state::changes keeps.
namespace scattergate::sim {

/// Whether a pipeline begins with `$changeStream`.
[[nodiscard]] bool is_change_stream(const array& stages);

/// Opens a change stream on the command's collection or database, or on the cluster. Throws
/// command_failure for invalid or unsupported options, on a view, in a transaction, and for a
/// position that is too old (change_stream_history_lost).
[[nodiscard]] change_stream open_change_stream(context& at, const array& stages);

/// Returns the events since the stream's position, after the stream's stages, and advances the
/// position. `of.ended` is true after an invalidate event. Throws command_failure if a stage
/// fails, or if events were lost (change_stream_history_lost).
[[nodiscard]] documents next_changes(context& at, change_stream& of);

}  // namespace scattergate::sim
