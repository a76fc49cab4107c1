#include "telemetry/admin/admin_pages.hpp"

#include "telemetry/admin/advice_answer.hpp"
#include "telemetry/admin/api.hpp"
#include "telemetry/admin/packed.hpp"
#include "telemetry/admin/page.hpp"
#include "telemetry/admin/page_runbook.hpp"
#include "telemetry/admin/web_files.hpp"
#include "telemetry/metrics/exposition.hpp"

namespace scattergate::telemetry {
namespace {

constexpr unsigned method_not_allowed = 405;

/// Smaller replies aren't compressed, because they fit in one packet.
constexpr std::size_t least_packed_bytes = 1024;

constexpr std::string_view metrics_path = "/metrics";
constexpr std::string_view api_root = "/api/v1/";
constexpr std::string_view html_type = "text/html; charset=utf-8";

/// The health checks, one per line, if `target` has the query `?verbose`, as in Kubernetes's
/// own /readyz. Empty otherwise.
std::string checks_text(const health& of, std::string_view target) {
  std::string text;
  if (target.find("?verbose") == target.npos) return text;
  for (const health::check& each : of.checks()) {
    if (!each.is_shown) continue;
    text += each.is_good ? "[+]" : "[-]";
    text += each.name;
    text += each.is_good ? " ok\n" : " failed\n";
  }
  return text;
}

}  // namespace

bool admin_pages::is_metrics(std::string_view target) noexcept {
  return path_of(target) == metrics_path;
}

bool admin_pages::is_shared(std::string_view target) noexcept {
  const std::string_view path = path_of(target);
  return is_metrics(path) || path == "/" || path.starts_with(api_root);
}

std::string_view admin_pages::cache_key(std::string_view target) noexcept {
  const std::string_view path = path_of(target);
  return path.starts_with(api_root) ? api::cache_key(target) : path;
}

answer_form admin_pages::form_of(std::string_view target,
                                 const answer_form& requested) noexcept {
  if (!is_shared(target)) return {};
  return {is_metrics(target) ? requested.format : exposition_format::text, requested.coding};
}

admin_reply admin_pages::answer(std::string_view method, std::string_view target,
                                const answer_form& form) const {
  admin_reply reply = plain_answer(method, target, form.format);
  if (form.coding != content_coding::identity && reply.body.size() >= least_packed_bytes) {
    reply.coding = form.coding;
    reply.body = packed(std::move(reply.body), reply.coding);
  }
  return reply;
}

admin_reply admin_pages::plain_answer(std::string_view method, std::string_view target,
                                      exposition_format format) const {
  if (method != "GET" && method != "HEAD") {
    return {.status = method_not_allowed, .body = "only GET and HEAD are supported\n"};
  }
  const std::string_view path = path_of(target);
  if (path == metrics_path) {
    return {.content_type = content_type_of(format), .body = exposition_.text(format)};
  }
  if (path == "/healthz") {
    const bool asks_more = target.ends_with("?verbose");
    return {.body = asks_more ? "[+]answering ok\nok\n" : "ok\n"};
  }
  if (path == "/readyz") {
    const std::string_view reason = health_.unready_reason();
    std::string checks = checks_text(health_, target);
    if (reason.empty()) return {.body = checks + "ready\n"};
    return {.status = unavailable, .body = checks.append(reason) + "\n"};
  }
  if (const auto shown = shown_.find(path); shown != shown_.end() && has_page_) {
    return {.content_type = shown->second.content_type, .body = shown->second.body()};
  }
  if (advice_ != nullptr && has_page_) {
    if (path == advice_api_path) return advice_reply(*advice_, target);
    if (path == advice_page_path) return advice_page(*advice_, target);
  }
  if (api_ != nullptr && has_page_) {
    if (auto reply = api_->answer(target)) return std::move(*reply);
  }
  if (path == "/" && has_page_) {
    return {.content_type = html_type,
            .body = page_html(health_.unready_reason(), digest_, conditions_,
                              api_ != nullptr ? api_->top_line() : headline{},
                              shown_.contains("/fleet"))};
  }
  if (path == runbook_path && has_page_) {
    return {.content_type = html_type, .body = runbook_page()};
  }
  if (const web_file* file = find_web_file(path); file != nullptr && has_page_) {
    return {.content_type = file->content_type, .body = std::string{file->text}};
  }
  return {.status = not_found, .body = "not found\n"};
}

}  // namespace scattergate::telemetry
