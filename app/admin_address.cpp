#include "app/admin_address.hpp"

#include <boost/asio/ip/address.hpp>

#include "telemetry/admin/admin_access.hpp"
#include "text/printable.hpp"

namespace scattergate::app {
namespace {

constexpr std::string_view scheme = "http://";
constexpr std::string_view secure_scheme = "https://";

bool is_this_host(const net::endpoint& at) {
  boost::system::error_code is_name;
  const auto address = boost::asio::ip::make_address(at.host, is_name);
  return at.is_unix() || at.host == "localhost" || (!is_name && address.is_loopback());
}

/// The TLS context that trusts the CAs in a file, or the system's.
net::tls_context::made trust_in(const std::string& ca_file) {
  return net::tls_context::for_upstream({ca_file, {}, {}, {}});
}

}  // namespace

text::result<admin_credentials> read_admin_credentials(const admin_credential_files& given) {
  admin_credentials made;
  if (given.token_file) {  // the daemon warns if others can read it
    auto token = telemetry::read_token(*given.token_file);
    if (!token) return token.error();
    made.token = *std::move(token);
  }
  if (given.ca_file) {
    auto trust = trust_in(*given.ca_file);
    if (!trust) return trust.error();
    made.tls = *std::move(trust);
  }
  return made;
}

bool is_url(std::string_view text) noexcept {
  return text.starts_with(scheme) || text.starts_with(secure_scheme);
}

text::result<admin_address> admin_address_of(std::string_view text,
                                             const admin_credentials& credentials) {
  admin_address made;
  made.has_tls = text.starts_with(secure_scheme);
  std::string_view name = text;
  const bool is_named_by_url = is_url(text);
  if (is_named_by_url) {
    name.remove_prefix(made.has_tls ? secure_scheme.size() : scheme.size());
    if (name.ends_with('/')) name.remove_suffix(1);
  }
  const auto at = net::parse_endpoint(name, admin_port);
  if (!at || (is_named_by_url && at->is_unix())) {
    return text::failure("expected http://HOST:PORT or https://HOST:PORT, not " +
                         text::in_quotes(std::string{text}));
  }
  made.at = *at;
  made.token = credentials.token;
  if (made.has_tls) {
    auto trust = credentials.tls ? credentials.tls : trust_in({});
    if (!trust) return trust.error();
    made.trust = *std::move(trust);
  } else if (!made.token.empty() && !is_this_host(made.at)) {
    return text::failure("the token isn't sent without TLS: give https://" +
                         to_string(made.at));
  }
  return made;
}

}  // namespace scattergate::app
