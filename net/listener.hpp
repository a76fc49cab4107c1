#pragma once

#include <vector>

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

/// A listening, non-blocking socket.
struct listening_socket {
  endpoint bound;  ///< the requested address, with the port that was chosen for 0
  unique_fd socket;
};

/// Opens, binds and listens. Replaces a stale Unix socket file. Throws
/// boost::system::system_error if the address is in use or can't be resolved.
[[nodiscard]] listening_socket listen_on(const endpoint& address);

/// The workers' listening sockets of one address, non-blocking.
struct listener {
  endpoint bound;  ///< with the port that was chosen for 0
  /// TCP: one per worker; the kernel distributes connections among them (SO_REUSEPORT). Unix:
  /// just one, because it doesn't support SO_REUSEPORT; the accepting worker distributes its
  /// connections.
  std::vector<unique_fd> sockets;
};

/// Opens, binds and listens with one socket per worker. Throws boost::system::system_error if
/// the address can't be resolved or is in use, even by another process with SO_REUSEPORT.
[[nodiscard]] listener bind_listener(const endpoint& address, std::size_t workers);

/// Removes the file of a closed Unix listener; does nothing for TCP.
void forget_address(const endpoint& bound) noexcept;

}  // namespace scattergate::net
