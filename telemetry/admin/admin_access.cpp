#include "telemetry/admin/admin_access.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "config/text/input.hpp"
#include "telemetry/admin/page.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {
namespace {

constexpr unsigned unauthorized = 401;
constexpr unsigned forbidden = 403;
constexpr std::size_t least_token_bytes = 16;
constexpr std::size_t max_token_bytes = 4096;

std::string lower(std::string_view text) {
  std::string made{text};
  std::ranges::transform(made, made.begin(), [](unsigned char c) { return std::tolower(c); });
  return made;
}

/// The host in a Host header, without port and brackets.
std::string_view host_in(std::string_view header) noexcept {
  if (header.starts_with('[')) {
    const std::size_t end = header.find(']');
    return end == header.npos ? header : header.substr(1, end - 1);
  }
  const std::size_t colon = header.rfind(':');
  const bool has_port = colon != header.npos && header.find(':') == colon;
  return has_port ? header.substr(0, colon) : header;
}

/// Whether a name is one that browsers always resolve to their own host (RFC 6761, 6.3).
bool is_loopback_name(std::string_view host) noexcept {
  return host == "localhost" || host.ends_with(".localhost") || host == "::1" ||
         (host.starts_with("127.") &&
          host.find_first_not_of("0123456789.") == std::string_view::npos);
}

/// Whether a host is an IP address. DNS rebinding needs a DNS name, so a server that listens on
/// all addresses accepts any IP address in a Host header.
bool is_address(std::string_view host) noexcept {
  return host.find(':') != host.npos ||
         (!host.empty() && host.find_first_not_of("0123456789.") == host.npos);
}

/// Compares in constant time, so that timing doesn't reveal how many characters match.
bool is_same_token(std::string_view given, std::string_view token) noexcept {
  unsigned char different = given.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char one = given.empty() ? '\0' : given[i % given.size()];
    different = static_cast<unsigned char>(different | (one ^ token[i]));
  }
  return different == 0;
}

/// Decodes Base64 up to the first invalid character.
std::string from_base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string made;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == digits.npos) break;
    bits = (bits << 6U | static_cast<unsigned>(digit)) & 0xFFFFU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    made += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU);
  }
  return made;
}

bool has_scheme(std::string_view authorization, std::string_view scheme) {
  return authorization.size() > scheme.size() &&
         lower(authorization.substr(0, scheme.size())) == scheme;
}

/// Whether a page of another site sent the request (Fetch Metadata, W3C). Such a page can't
/// read the answer, but each request costs work. Links that a person follows to the page or the
/// runbook are allowed.
bool is_of_another_site(const admin_access::request& one) noexcept {
  if (one.fetch_site != "cross-site") return false;
  const std::string_view path = path_of(one.target);
  const bool is_page = path == "/" || path == runbook_path;
  return !one.is_get || !is_page || one.fetch_mode != "navigate" ||
         one.fetch_dest != "document";
}

void warn_of_exposure(const std::string& token_file) {
  const auto exposed = config::secret_exposed(token_file);
  if (!exposed) return;
  log::write(log::severity::warning, log::component::admin, 8002,
             "The admin token isn't secret; every user of this host can read it",
             {{"why", text::to_string(*exposed)}});
}

}  // namespace

admin_access::admin_access(settings configured) : with_(std::move(configured)) {
  with_.bound_host = lower(with_.bound_host);
  for (std::string& each : with_.hosts) each = lower(each);
}

bool admin_access::is_our_host(std::string_view header) const {
  if (header.empty() || with_.bound_host.empty()) return true;
  const std::string host = lower(host_in(header));
  const bool is_any = with_.bound_host == "0.0.0.0" || with_.bound_host == "::";
  return host == with_.bound_host || is_loopback_name(host) || (is_any && is_address(host)) ||
         std::ranges::find(with_.hosts, host) != with_.hosts.end();
}

bool admin_access::has_token(std::string_view authorization) const {
  constexpr std::string_view bearer = "bearer ";
  constexpr std::string_view basic = "basic ";
  if (has_scheme(authorization, bearer)) {
    return is_same_token(authorization.substr(bearer.size()), with_.token);
  }
  if (!has_scheme(authorization, basic)) return false;
  const std::string pair = from_base64(authorization.substr(basic.size()));
  const std::size_t colon = pair.find(':');
  return colon != pair.npos &&
         is_same_token(std::string_view{pair}.substr(colon + 1), with_.token);
}

bool admin_access::is_public(std::string_view path) noexcept {
  return path == "/metrics" || path == "/healthz" || path == "/readyz";
}

std::optional<admin_reply> admin_access::refuse(const request& one) const {
  if (is_of_another_site(one)) {
    return refusal(forbidden, "cross-site request refused: open this address directly");
  }
  if (is_public(path_of(one.target))) return std::nullopt;
  if (!is_our_host(one.host)) {
    return refusal(forbidden,
                   "unknown Host header: add the name to admin.hosts if it is this server's");
  }
  const bool is_guarded = !with_.token.empty() && (with_.is_secured || with_.is_loopback);
  if (!with_.is_loopback && !is_guarded) {
    return refusal(
        forbidden,
        "this address serves only /metrics, /healthz and /readyz; for the page, set admin.tls "
        "and admin.token_file, or a loopback address as admin.page_listen");
  }
  if (with_.token.empty() || has_token(one.authorization)) return std::nullopt;
  return refusal(unauthorized, "this needs the token in admin.token_file");
}

text::result<std::string> read_token(const std::string& file) {
  const auto content = config::read_file(file, max_token_bytes);
  if (!content) return text::failure(content.error().what);
  std::string token = content->substr(0, content->find_first_of("\r\n"));
  if (token.size() < least_token_bytes) {
    return text::problem{file, "its first line has fewer than 16 characters"};
  }
  return token;
}

text::result<admin_settings> admin_settings_of(const config::options& from) {
  const config::admin_access_options& access = from.admin_access;
  admin_settings made{.page = from.admin_page,
                      .room = answer_room{from.limits.memory_bytes},
                      .tls = nullptr,
                      .token = {},
                      .hosts = access.hosts,
                      .grafana_link = access.grafana_link};
  if (!access.tls.cert_file.empty()) {
    auto tls = net::tls_context::for_clients(access.tls);
    if (!tls) return text::problem{"admin.tls", text::to_string(tls.error())};
    made.tls = *std::move(tls);
  }
  if (!access.token_file.empty()) {
    auto token = read_token(access.token_file);
    if (!token) return text::problem{"admin.token_file", text::to_string(token.error())};
    made.token = *std::move(token);
    warn_of_exposure(access.token_file);
  }
  return made;
}

admin_access access_of(const net::socket_address& local, const net::endpoint& bound,
                       const admin_settings& settings) {
  return admin_access{{.bound_host = bound.host,
                       .is_loopback = net::is_loopback(local),
                       .is_secured = settings.tls != nullptr,
                       .hosts = settings.hosts,
                       .token = settings.token}};
}

}  // namespace scattergate::telemetry
