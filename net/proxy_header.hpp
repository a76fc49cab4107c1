#pragma once

#include <cstddef>
#include <vector>

#include "net/socket_address.hpp"

namespace scattergate::net {

/// Builds a PROXY protocol header, version 2, which passes the address `client` to a load
/// balancer port of mongos. `local`: the address to which the client connected. If the two
/// addresses aren't both IPv4 or both IPv6, the header contains no address. Source: haproxy's
/// proxy-protocol.txt, section 2.2.
[[nodiscard]] std::vector<std::byte> proxy_header(const socket_address& client,
                                                  const socket_address& local);

/// Builds a PROXY protocol header, version 2, with the command LOCAL, for connections that
/// scattergate opens for itself, such as health checks.
[[nodiscard]] std::vector<std::byte> local_proxy_header();

}  // namespace scattergate::net
