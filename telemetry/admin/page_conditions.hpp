#pragma once

#include <string>
#include <string_view>

#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::telemetry {

/// Appends what is wrong with the daemon itself right now, the gravest first and many of a kind
/// as one line, and what was resolved in the last hour. `board`: null where there is none.
void append_wrong(std::string& html, std::string_view unready_reason,
                  const condition_board* board);

}  // namespace scattergate::telemetry
