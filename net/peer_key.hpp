#pragma once

#include <string>

namespace scattergate::net {

/// Identifies the peer of a connected socket, to share scarce resources fairly. TCP: its
/// address without the port, for IPv6 the /64 network, because one host may use all of it.
/// Unix: its user ("uid:1000"). Empty if unknown.
[[nodiscard]] std::string peer_key(int fd);

}  // namespace scattergate::net
