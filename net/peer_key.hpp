#pragma once

#include <string>

namespace scattergate::net {

/// A key that identifies the peer of the connected socket `fd`, for limits per peer. IPv4: the
/// 4 bytes of the address. IPv6: the first 8 bytes (the /64 network), because one host may use
/// a whole /64. Unix socket: the user of the peer's process, such as "uid:1000". Empty if
/// unknown.
[[nodiscard]] std::string peer_key(int fd);

/// A peer_key() as text for people: "192.0.2.1", "2001:db8:1:2::/64", "uid:1000", or "unknown".
[[nodiscard]] std::string peer_text(const std::string& key);

}  // namespace scattergate::net
