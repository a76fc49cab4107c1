#pragma once

#include <string>

namespace scattergate::net {

/// Identifies the host or user at the other end of a connected socket, to share scarce
/// resources fairly: a TCP peer's address without its port (for IPv6 its /64 network, from
/// which one host may choose addresses freely); a Unix peer's user from the kernel
/// ("uid:1000"). Empty if unknown.
[[nodiscard]] std::string peer_key(int fd);

}  // namespace scattergate::net
