#include "app/admin_address.hpp"

#include <stdexcept>

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

/// What `make` makes; nothing where it throws, and why in `error`.
template <typename Make>
auto made_or_error(Make make, std::string& error) -> decltype(make()) {
  try {
    return make();
  } catch (const std::runtime_error& unusable) {
    error = unusable.what();
    return {};
  }
}

/// Whom we believe to be a daemon; without a file the system says.
std::shared_ptr<const net::tls_context> trust_in(const std::string& ca_file,
                                                 std::string& error) {
  return made_or_error(
      [&] {
        return net::tls_context::for_upstream({ca_file, {}, {}, {}});
      },
      error);
}

}  // namespace

admin_guard read_guard(const admin_guard_flags& given) {
  admin_guard made;
  std::string others_can_read_it;  // which is for the daemon to say
  if (given.token_file) {
    made.token = made_or_error(
        [&] { return telemetry::read_token(*given.token_file, others_can_read_it); },
        made.error);
  }
  if (made.error.empty() && given.ca_file) made.tls = trust_in(*given.ca_file, made.error);
  return made;
}

bool is_url(std::string_view text) noexcept {
  return text.starts_with(scheme) || text.starts_with(secure_scheme);
}

admin_address admin_address_of(std::string_view text, const admin_guard& guard) {
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
    made.error = "http://HOST:PORT or https://HOST:PORT is wanted, not " +
                 text::in_quotes(std::string{text});
    return made;
  }
  made.at = *at;
  made.token = guard.token;
  if (made.has_tls) {
    made.trust = guard.tls ? guard.tls : trust_in({}, made.error);
  } else if (!made.token.empty() && !is_this_host(made.at)) {
    made.error = "the token isn't sent without TLS: give https://" + to_string(made.at);
  }
  return made;
}

}  // namespace scattergate::app
