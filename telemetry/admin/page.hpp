#pragma once

#include <string>
#include <string_view>

#include "telemetry/admin/api_headline.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Renders the status page as HTML that works without JavaScript: conditions (problems of the
/// daemon), findings (shapes to report, worst first, with senders and fixes), and collections.
/// With JavaScript, the script /page.js keeps the page up to date. `unready_reason`:
/// health::unready_reason(); empty if the daemon is ready. `shapes`, `conditions`: null if not
/// available. `top`: the headline, omitted if its text is empty. `has_fleet`: whether to add a
/// link to /fleet.
[[nodiscard]] std::string page_html(std::string_view unready_reason, live_digest* shapes,
                                    const condition_board* conditions = nullptr,
                                    const headline& top = {}, bool has_fleet = false);

}  // namespace scattergate::telemetry
