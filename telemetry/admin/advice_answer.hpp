#pragma once

#include <string_view>

#include "telemetry/admin/admin_pages.hpp"
#include "telemetry/advice/advice_service.hpp"

namespace scattergate::telemetry {

/// The paths of the advice on a collection's shard key: as an HTML page, and as JSON. The query
/// `?ns=DB.COLLECTION` names the collection.
inline constexpr std::string_view advice_page_path = "/advice";
inline constexpr std::string_view advice_api_path = "/api/v1/advice";

/// Replies to a GET of advice_api_path (docs/openapi.yaml). The status is:
/// - 200: the advice, or none because the collection has too many shapes;
/// - 202: the advice is being computed;
/// - 400: the query has no valid namespace;
/// - 404: no commands on the collection were seen, or it can't have a shard key of its own;
/// - 503: computing failed, or too many collections wait.
[[nodiscard]] admin_reply advice_reply(advice_service& from, std::string_view target);

/// Replies to a GET of advice_page_path with an HTML page. The page reloads itself while the
/// advice is computed. Has the same status codes as advice_reply().
[[nodiscard]] admin_reply advice_page(advice_service& from, std::string_view target);

}  // namespace scattergate::telemetry
