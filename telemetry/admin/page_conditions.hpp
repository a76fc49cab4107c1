#pragma once

#include <string>
#include <string_view>

#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::telemetry {

/// Appends the active conditions, the most severe first and many of a kind as one line, then
/// those resolved in the last hour. `board`: null if there is none.
void append_wrong(std::string& html, std::string_view unready_reason,
                  const condition_board* board);

}  // namespace scattergate::telemetry
