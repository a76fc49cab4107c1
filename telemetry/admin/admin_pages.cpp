#include "telemetry/admin/admin_pages.hpp"

#include "telemetry/admin/page.hpp"
#include "telemetry/metrics/exposition.hpp"

namespace scattergate::telemetry {
namespace {

constexpr unsigned not_found = 404;
constexpr unsigned method_not_allowed = 405;
constexpr unsigned unavailable = 503;

std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find('?'));
}

}  // namespace

bool admin_pages::is_shared(std::string_view target) noexcept {
  const std::string_view path = path_of(target);
  return path == "/metrics" || path == "/" || path == "/api/v1/samples";
}

admin_reply admin_pages::answer(std::string_view method, std::string_view target) const {
  if (method != "GET" && method != "HEAD") {
    return {.status = method_not_allowed, .body = "only GET and HEAD are answered here\n"};
  }
  const std::string_view path = path_of(target);
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
