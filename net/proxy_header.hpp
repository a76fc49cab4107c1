#pragma once

#include <cstddef>
#include <vector>

#include "net/socket_address.hpp"

namespace scattergate::net {

/// A PROXY protocol header, version 2, for a mongos load balancer port. The header contains
/// the address `client` and the address `local`, to which the client connected. If they aren't
/// both IPv4 or both IPv6, it contains no address. Source: haproxy's proxy-protocol.txt,
/// section 2.2.
[[nodiscard]] std::vector<std::byte> proxy_header(const socket_address& client,
                                                  const socket_address& local);

/// A PROXY protocol header, version 2, with the LOCAL command. For connections that
/// scattergate opens for itself, such as health checks.
[[nodiscard]] std::vector<std::byte> local_proxy_header();

}  // namespace scattergate::net
