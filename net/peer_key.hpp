#pragma once

#include <string>

namespace scattergate::net {

/// Who is at the other end of a connected socket, for sharing out what is scarce: the address
/// of a TCP peer without its port, of IPv6 the /64 network, which is one host's to choose from;
/// the user of a Unix one, as the kernel tells it ("uid:1000"). Empty where it can't be told.
[[nodiscard]] std::string peer_key(int fd);

}  // namespace scattergate::net
