#pragma once

#include <cstddef>
#include <vector>

#include "net/socket_address.hpp"

namespace scattergate::net {

/// A PROXY protocol header, version 2: passes the client's address and the address that it
/// connected to on to a mongos load balancer port. Without addresses unless both are IPv4 or
/// both IPv6. Source: haproxy's proxy-protocol.txt, section 2.2.
[[nodiscard]] std::vector<std::byte> proxy_header(const socket_address& client,
                                                  const socket_address& local);

/// The PROXY protocol header of the proxy's own connections, such as health checks (the LOCAL
/// command).
[[nodiscard]] std::vector<std::byte> local_proxy_header();

}  // namespace scattergate::net
