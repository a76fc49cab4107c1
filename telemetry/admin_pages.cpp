#include "telemetry/admin_pages.hpp"

#include "telemetry/exposition.hpp"
#include "telemetry/page.hpp"

namespace scattergate::telemetry {
namespace {

constexpr unsigned not_found = 404;
constexpr unsigned method_not_allowed = 405;
constexpr unsigned unavailable = 503;

}  // namespace

admin_reply admin_pages::answer(std::string_view method, std::string_view target) const {
  if (method != "GET" && method != "HEAD") {
    return {.status = method_not_allowed, .body = "only GET and HEAD are answered here\n"};
  }
  const std::string_view path = target.substr(0, target.find('?'));
  if (path == "/metrics") {
    return {.content_type = exposition_content_type, .body = exposition_text(metrics_)};
  }
  if (path == "/healthz") return {.body = "ok\n"};
  if (path == "/readyz") {
    const std::string_view reason = health_.unready_reason();
    if (reason.empty()) return {.body = "ready\n"};
    return {.status = unavailable, .body = std::string{reason} + "\n"};
  }
  if (path == "/api/v1/samples" && has_page_ && samples_) {
    return {.content_type = "application/x-ndjson", .body = samples_()};
  }
  if (path == "/" && has_page_) {
    return {.content_type = "text/html; charset=utf-8",
            .body = page_html(metrics_.Collect(), health_.unready_reason())};
  }
  return {.status = not_found, .body = "not found\n"};
}

}  // namespace scattergate::telemetry
