#include "telemetry/admin/admin_pages.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <zlib.h>
#include <zstd.h>

#include "telemetry/admin/advice_answer.hpp"
#include "telemetry/admin/api.hpp"
#include "telemetry/admin/health.hpp"
#include "telemetry/admin/page.hpp"
#include "telemetry/metrics/exposition.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {
namespace {

/// A quality in thousandths: RFC 9110 permits at most three decimals (12.4.2).
using quality = int;
constexpr quality best = 1000;

/// Splits `text` at the first `at`: returns the part before it; `text` becomes the part after
/// it.
std::string_view cut(std::string_view& text, char at) noexcept {
  const std::size_t end = text.find(at);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  const std::size_t first = part.find_first_not_of(" \t");
  if (first == part.npos) return {};
  return part.substr(first, part.find_last_not_of(" \t") + 1 - first);
}

bool is_same_name(std::string_view a, std::string_view b) noexcept {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Parses "1", "0.5", "0.125"; std::nullopt for anything else.
std::optional<quality> quality_in(std::string_view text) noexcept {
  constexpr std::size_t longest = 5;
  if (text.empty() || text.size() > longest || (text[0] != '0' && text[0] != '1')) return {};
  if (text.size() > 1 && text[1] != '.') return {};
  quality sum = (text[0] - '0') * best;
  quality unit = best;
  for (const char digit : text.substr(std::min<std::size_t>(text.size(), 2))) {
    if (digit < '0' || digit > '9') return {};
    unit /= 10;
    sum += (digit - '0') * unit;
  }
  return std::min(sum, best);
}

/// An element of Accept or Accept-Encoding.
struct offer {
  std::string_view name;
  std::string_view version;
  quality liked = best;
};

offer offer_in(std::string_view element) noexcept {
  offer found{cut(element, ';'), {}, best};
  while (!element.empty()) {
    std::string_view value = cut(element, ';');
    const std::string_view name = cut(value, '=');
    value = cut(value, ';');
    if (is_same_name(name, "version")) found.version = value;
    if (is_same_name(name, "q")) found.liked = quality_in(value).value_or(0);
  }
  return found;
}

/// The quality of the first element for which `matches` is true; 0 if there is none.
template <typename Matches>
quality liking(std::string_view list, const Matches& matches) noexcept {
  while (!list.empty()) {
    const offer each = offer_in(cut(list, ','));
    if (matches(each)) return each.liked;
  }
  return 0;
}

quality liking_of(std::string_view list, std::string_view name) noexcept {
  return liking(list, [name](const offer& each) { return is_same_name(each.name, name); });
}

constexpr int gzip_window = MAX_WBITS + 16;  // zlib.h: deflateInit2, "gzip encoding"
constexpr int gzip_memory = 8;               // zlib's default

std::optional<std::string> gzipped(const std::string& text) {
  if (text.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_window, gzip_memory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> ended{&stream, deflateEnd};
  std::string packed(deflateBound(&stream, text.size()), '\0');
  // zlib's interface lacks const, but deflate() doesn't write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) return std::nullopt;
  packed.resize(stream.total_out);
  packed.shrink_to_fit();
  return packed;
}

std::optional<std::string> zstd_packed(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1);
  if (ZSTD_isError(size) != 0) return std::nullopt;
  packed.resize(size);
  packed.shrink_to_fit();
  return packed;
}

/// Returns `text` compressed with `coding`; prefers speed over ratio. If memory runs out,
/// returns `text` unchanged and sets `coding` to identity.
std::string packed(std::string text, content_coding& coding) {
  std::optional<std::string> small;
  if (coding == content_coding::gzip) small = gzipped(text);
  if (coding == content_coding::zstd) small = zstd_packed(text);
  if (small) return std::move(*small);
  coding = content_coding::identity;
  return text;
}

constexpr unsigned method_not_allowed = 405;

/// Smaller replies aren't compressed, because they fit in one packet.
constexpr std::size_t least_packed_bytes = 1024;

constexpr std::string_view metrics_path = "/metrics";
constexpr std::string_view api_root = "/api/v1/";
constexpr std::string_view html_type = "text/html; charset=utf-8";

/// Whether the query of `target` has the parameter `name`: "/readyz?verbose&mongos".
bool has_parameter(std::string_view target, std::string_view name) noexcept {
  std::string_view rest = target.substr(path_of(target).size());
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the ? or &
    const std::string_view one = rest.substr(0, rest.find('&'));
    if (one.substr(0, one.find('=')) == name) return true;
    rest.remove_prefix(one.size());
  }
  return false;
}

/// A line of /readyz?verbose, as in Kubernetes's own /readyz.
std::string check_line(std::string_view name, bool is_good) {
  return (is_good ? "[+]" : "[-]") + std::string{name} + (is_good ? " ok\n" : " failed\n");
}

}  // namespace

std::string_view label(content_coding coding) noexcept {
  static constexpr wire::label_table<content_coding> labels{{
      {content_coding::identity, "identity"},
      {content_coding::gzip, "gzip"},
      {content_coding::zstd, "zstd"},
  }};
  return labels[coding];
}

exposition_format requested_format(std::string_view accept) noexcept {
  const quality openmetrics = liking(accept, [](const offer& each) {
    return is_same_name(each.name, "application/openmetrics-text") &&
           (each.version.empty() || each.version == "1.0.0");
  });
  const bool is_preferred = openmetrics != 0 && openmetrics >= liking_of(accept, "text/plain");
  return is_preferred ? exposition_format::openmetrics : exposition_format::text;
}

content_coding requested_coding(std::string_view accept_encoding) noexcept {
  const quality zstd = liking_of(accept_encoding, label(content_coding::zstd));
  const quality gzip = liking_of(accept_encoding, label(content_coding::gzip));
  if (zstd == 0 && gzip == 0) return content_coding::identity;
  return zstd >= gzip ? content_coding::zstd : content_coding::gzip;
}

/// Replies to /readyz. With the parameter `mongos`, readiness includes that every listener's
/// clients are served; with `verbose`, the reply lists the checks.
admin_reply admin_pages::readiness(std::string_view target) const {
  std::string reason{health_.unready_reason()};
  std::string checks;
  for (const health::check& each : health_.checks()) {
    if (each.is_shown) checks += check_line(each.name, each.is_good);
  }
  if (has_parameter(target, "mongos")) {
    const std::string unserved = unserved_listener();
    checks += check_line("mongos", unserved.empty());
    if (reason.empty()) reason = unserved;
  }
  if (!has_parameter(target, "verbose")) checks.clear();
  if (reason.empty()) return {.body = checks + "ready\n"};
  return {.status = unavailable, .body = checks + reason + "\n"};
}

/// Why no mongos serves the first listener that isn't served; empty if all are.
std::string admin_pages::unserved_listener() const {
  const auto conditions =
      conditions_ != nullptr ? conditions_->snapshot() : std::vector<condition>{};
  std::string reason;
  metrics_.for_each_listener([&](const listener_facts& one) {
    if (reason.empty()) reason = unserved_reason(one, conditions);
  });
  return reason;
}

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
  if (path == "/readyz") return readiness(target);
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
    return {.content_type = html_type, .body = std::string{runbook_page()}};
  }
  if (const web_file* file = find_web_file(path); file != nullptr && has_page_) {
    return {.content_type = file->content_type, .body = std::string{file->text}};
  }
  return {.status = not_found, .body = "not found\n"};
}

}  // namespace scattergate::telemetry
