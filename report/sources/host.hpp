#pragma once

#include <string_view>

namespace scattergate::report {

/// The host of a sender's address in MongoDB's notation: "10.0.0.1" for "10.0.0.1:27017",
/// "::1" for "[::1]:27017". Omits the port, because each connection has a different one.
[[nodiscard]] constexpr std::string_view host_of(std::string_view address) noexcept {
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const std::size_t port = address.find(':');
  const bool is_bare_ip6 = port != address.npos && address.find(':', port + 1) != address.npos;
  return is_bare_ip6 ? address : address.substr(0, port);
}

}  // namespace scattergate::report
