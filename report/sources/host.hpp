#pragma once

#include <string_view>

namespace scattergate::report {

/// The host of an address in MongoDB's notation: "10.0.0.1" of "10.0.0.1:27017", "::1" of
/// "[::1]:27017". The port differs for each connection and doesn't identify the sender.
[[nodiscard]] constexpr std::string_view host_of(std::string_view address) noexcept {
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const std::size_t port = address.find(':');
  const bool is_bare_ip6 = port != address.npos && address.find(':', port + 1) != address.npos;
  return is_bare_ip6 ? address : address.substr(0, port);
}

}  // namespace scattergate::report
