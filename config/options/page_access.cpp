#include "config/options/page_access.hpp"

#include <algorithm>

#include "net/socket_address.hpp"

namespace scattergate::config {
namespace {

bool is_loopback(const net::endpoint& address) {
  const auto found = net::resolve(address);
  return found && std::ranges::all_of(*found, net::is_loopback);
}

page_access access_at(const net::endpoint& address, const admin_access_options& with) {
  const bool has_token = !with.token_file.empty();
  if (is_loopback(address)) return has_token ? page_access::guarded : page_access::loopback;
  const bool is_guarded = has_token && !with.tls.cert_file.empty();
  return is_guarded ? page_access::guarded : page_access::unreachable;
}

}  // namespace

page_door page_door_of(const options& of) {
  page_door found{page_access::off, of.admin, "admin.listen"};
  if (!of.admin_page) return found;
  if (of.admin_page_listen) {
    page_door own{access_at(*of.admin_page_listen, of.admin_access), *of.admin_page_listen,
                  "admin.page_listen"};
    if (own.access != page_access::unreachable) return own;
  }
  found.access = access_at(of.admin, of.admin_access);
  return found;
}

std::string advice_for_page() {
  return "serve the page on a loopback address, such as admin.page_listen: 127.0.0.1:19217 (in "
         "Kubernetes, use kubectl port-forward), or set admin.tls and admin.token_file, or set "
         "admin.page: off";
}

}  // namespace scattergate::config
