#pragma once

#include <string>
#include <string_view>

#include "telemetry/admin/api_headline.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Renders the status page as HTML that works without JavaScript: conditions (problems of the
/// daemon), findings (shapes to report, worst first, with senders and fixes), and collections.
/// The script /page.js updates the page live. `unready_reason`: empty when ready. `shapes`,
/// `conditions`: null if not available. `top`: the headline, omitted if its text is empty.
/// `has_fleet`: whether to add a link to /fleet.
[[nodiscard]] std::string page_html(std::string_view unready_reason, live_digest* shapes,
                                    const condition_board* conditions = nullptr,
                                    const headline& top = {}, bool has_fleet = false);

}  // namespace scattergate::telemetry
