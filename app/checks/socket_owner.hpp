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

/// Finds the process that listens on `address` (IPv4 or IPv6), in /proc. A process that listens
/// on the wildcard address (0.0.0.0 or ::) with the same port counts, too. If `address` is a
/// wildcard address itself, any process that listens on the port counts. std::nullopt if there
/// is none, or if this user may not list the process's open files.
[[nodiscard]] std::optional<socket_owner> listening_on(const net::socket_address& address);

}  // namespace scattergate::app
