#pragma once

#include <cstddef>
#include <vector>

#include "net/socket_address.hpp"

namespace scattergate::net {

/// The PROXY protocol's header, version 2, that tells a mongos load balancer port who the
/// client is and where it connected to; without addresses where they aren't both IPv4 or both
/// IPv6. Source: haproxy's proxy-protocol.txt, section 2.2.
[[nodiscard]] std::vector<std::byte> proxy_header(const socket_address& client,
                                                  const socket_address& local);

/// The header of a connection of the proxy's own, a health check's (the LOCAL command).
[[nodiscard]] std::vector<std::byte> local_proxy_header();

}  // namespace scattergate::net
