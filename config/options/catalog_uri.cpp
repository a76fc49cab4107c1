#include "config/options/catalog_uri.hpp"

#include <algorithm>

#include "config/text/input.hpp"
#include "text/percent.hpp"

namespace scattergate::config {
namespace {

constexpr std::size_t max_uri_bytes = 64UL << 10;

/// A connection string for a listener's upstreams. `otherwise`: what the problem recommends if
/// they aren't suitable.
text::result<catalog_uri> uri_of(const listener_options& listener,
                                 const std::string& otherwise) {
  const auto refuse = [&otherwise](const char* what) { return text::problem{what, otherwise}; };
  if (listener.upstream.empty()) return refuse("no upstream is configured");
  if (listener.proxy_protocol) return refuse("the upstream expects PROXY headers");
  std::string text = "mongodb://";
  for (const net::endpoint& one : listener.upstream) {
    if (text.back() != '/') text += ',';
    text += one.is_unix() ? text::percent_encoded(one.path) : to_string(one);
  }
  text += "/?directConnection=false";
  if (!listener.upstream_tls) return catalog_uri{text};
  const net::upstream_tls_options& tls = *listener.upstream_tls;
  // The driver needs certificate and key in one file, and takes the server's name from its
  // address.
  if (!tls.key_file.empty()) return refuse("the driver can't use upstream_tls.key_file");
  if (!tls.server_name.empty()) return refuse("the driver can't use upstream_tls.server_name");
  text += "&tls=true";
  if (!tls.ca_file.empty()) text += "&tlsCAFile=" + text::percent_encoded(tls.ca_file);
  if (!tls.cert_file.empty()) {
    text += "&tlsCertificateKeyFile=" + text::percent_encoded(tls.cert_file);
  }
  return catalog_uri{text};
}

}  // namespace

text::result<catalog_uri> read_uri_file(const std::string& path) {
  const auto content = read_file(path, max_uri_bytes);
  if (!content) return text::problem{"uri_file", content.error().what};
  constexpr std::string_view blanks = " \t\r";
  std::string line = content->substr(0, content->find('\n'));
  line.erase(0, std::min(line.find_first_not_of(blanks), line.size()));
  line.erase(line.find_last_not_of(blanks) + 1);
  if (line.empty()) return text::problem{"uri_file", "no connection string in its first line"};
  return catalog_uri{std::move(line), secret_exposed(path)};
}

text::result<catalog_uri> find_catalog_uri(const options& from) {
  if (!from.catalog.uri.empty()) return catalog_uri{from.catalog.uri};
  if (!from.catalog.uri_file.empty()) return read_uri_file(from.catalog.uri_file);
  return uri_of(from.listeners.front(), "the live catalog needs catalog.uri_file");
}

text::result<catalog_uri> find_self_check_uri(const options& from) {
  if (!from.verify.uri_file.empty()) return read_uri_file(from.verify.uri_file);
  return uri_of(from.listeners.front(), "verify.self_check needs verify.uri_file");
}

text::result<catalog_uri> find_fleet_uri(const options& from) {
  return read_uri_file(from.fleet.uri_file);
}

}  // namespace scattergate::config
