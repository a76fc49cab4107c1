#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "net/socket_address.hpp"

namespace scattergate::app {

/// A process with a listening socket.
struct socket_owner {
  std::uint64_t process = 0;  ///< the process ID
  std::string name;           ///< the process's name in the kernel (comm), at most 15 bytes
};

/// Finds in /proc the process that listens on `address` (IPv4 or IPv6), or on all addresses
/// with the same port. std::nullopt if there is none, or if this user may not see the
/// process's files.
[[nodiscard]] std::optional<socket_owner> listening_on(const net::socket_address& address);

}  // namespace scattergate::app
