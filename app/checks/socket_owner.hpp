#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "net/socket_address.hpp"

namespace scattergate::app {

/// A process with a listening socket.
struct socket_owner {
  std::uint64_t process = 0;  ///< its id
  std::string name;           ///< the kernel's, at most 15 bytes
};

/// Finds in /proc the process that listens on an IPv4 or IPv6 address, or on all addresses with
/// its port. std::nullopt if there is none, or this user may not see its files.
[[nodiscard]] std::optional<socket_owner> listening_on(const net::socket_address& address);

}  // namespace scattergate::app
