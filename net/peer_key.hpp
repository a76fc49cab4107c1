#pragma once

#include <string>

namespace scattergate::net {

/// A key for the peer of the connected socket `fd`, for sharing scarce resources fairly among
/// peers. IPv4: the 4 bytes of the address. IPv6: the first 8 bytes (the /64 network), because
/// one host may use a whole /64. Unix: the peer's user, such as "uid:1000". Empty if unknown.
[[nodiscard]] std::string peer_key(int fd);

}  // namespace scattergate::net
