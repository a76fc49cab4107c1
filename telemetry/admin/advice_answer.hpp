#pragma once

#include <string_view>

#include "telemetry/admin/admin_pages.hpp"
#include "telemetry/advice/advice_service.hpp"

namespace scattergate::telemetry {

/// Paths of the advice on a collection's shard key: `?ns=` names the collection.
inline constexpr std::string_view advice_page_path = "/advice";
inline constexpr std::string_view advice_api_path = "/api/v1/advice";

/// The answer to a GET of advice_api_path (docs/openapi.yaml): 202 while it is computed, 400
/// without a valid namespace, 404 for a collection without commands, 503 if too many wait.
[[nodiscard]] admin_reply advice_reply(advice_service& from, std::string_view target);

/// The answer to a GET of advice_page_path: the same as a page, which reloads itself while the
/// advice is computed.
[[nodiscard]] admin_reply advice_page(advice_service& from, std::string_view target);

}  // namespace scattergate::telemetry
