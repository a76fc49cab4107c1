#pragma once

#include <string_view>

namespace scattergate::report {

/// The host of an address as MongoDB writes it, as other sources tell it: "10.0.0.1" of
/// "10.0.0.1:27017", "::1" of "[::1]:27017". Each connection has a port of its own, which says
/// nothing of who it is.
[[nodiscard]] constexpr std::string_view host_of(std::string_view address) noexcept {
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const std::size_t port = address.find(':');
  const bool is_bare_ip6 = port != address.npos && address.find(':', port + 1) != address.npos;
  return is_bare_ip6 ? address : address.substr(0, port);
}

}  // namespace scattergate::report
