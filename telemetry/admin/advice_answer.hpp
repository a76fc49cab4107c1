#pragma once

#include <string_view>

#include "telemetry/admin/admin_pages.hpp"
#include "telemetry/advice/advice_service.hpp"

namespace scattergate::telemetry {

/// The paths of the advice on a collection's shard key, as a page and as JSON. The query
/// `?ns=DB.COLLECTION` names the collection.
inline constexpr std::string_view advice_page_path = "/advice";
inline constexpr std::string_view advice_api_path = "/api/v1/advice";

/// Replies to a GET of advice_api_path (docs/openapi.yaml): 202 while the advice is computed,
/// 400 without a valid namespace, 404 if no commands on the collection were seen or it can't
/// have a shard key of its own, 503 if computing failed or too many requests wait.
[[nodiscard]] admin_reply advice_reply(advice_service& from, std::string_view target);

/// Replies to a GET of advice_page_path: an HTML page, which reloads itself while the advice is
/// computed. Has the same status codes as advice_reply().
[[nodiscard]] admin_reply advice_page(advice_service& from, std::string_view target);

}  // namespace scattergate::telemetry
