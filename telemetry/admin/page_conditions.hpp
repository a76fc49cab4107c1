#pragma once

#include <string>
#include <string_view>

#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::telemetry {

/// Appends the daemon's problems (conditions) as HTML: the active ones, the most severe first,
/// then those that ended within the last hour. More than three active conditions of one kind
/// share one line. `unready_reason`: health::unready_reason(); empty if the daemon is ready.
/// `board`: null if there is none.
void append_conditions_section(std::string& html, std::string_view unready_reason,
                               const condition_board* board);

}  // namespace scattergate::telemetry
