#pragma once

#include <cstddef>
#include <vector>

#include "net/socket_address.hpp"

namespace scattergate::net {

/// A PROXY protocol header, version 2, for a mongos load balancer port. Carries the client's
/// address and the address that it connected to; no addresses unless both are IPv4 or both
/// IPv6. Source: haproxy's proxy-protocol.txt, section 2.2.
[[nodiscard]] std::vector<std::byte> proxy_header(const socket_address& client,
                                                  const socket_address& local);

/// A PROXY protocol header, version 2, with the LOCAL command: for the proxy's own connections,
/// such as health checks.
[[nodiscard]] std::vector<std::byte> local_proxy_header();

}  // namespace scattergate::net
