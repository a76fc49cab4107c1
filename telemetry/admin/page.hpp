#pragma once

#include <string>
#include <string_view>

#include "telemetry/admin/api_headline.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// The page for people, as it is without JavaScript: what is wrong, the findings worst first
/// with who sends them and what to do, and the collections. /page.js makes a live page of it.
/// `unready_reason`: empty when ready; `shapes`, `conditions`: null where there are none;
/// `top`: left out where it has no text.
[[nodiscard]] std::string page_html(std::string_view unready_reason, live_digest* shapes,
                                    const condition_board* conditions = nullptr,
                                    const headline& top = {});

}  // namespace scattergate::telemetry
