#pragma once

#include <vector>

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

/// A listening, non-blocking socket.
struct listening_socket {
  endpoint bound;  ///< the requested address; if its port was 0, with the port that the kernel
                   ///< chose
  unique_fd socket;
};

/// Opens a socket, binds it to `address` and listens. Replaces the file of a Unix socket on
/// which no process listens any more. Throws boost::system::system_error, for example if the
/// address is in use or can't be resolved.
[[nodiscard]] listening_socket listen_on(const endpoint& address);

/// The workers' listening, non-blocking sockets for one address.
struct listener {
  endpoint bound;  ///< if the requested port was 0, with the port that the kernel chose
  /// TCP: one per worker; the kernel distributes connections among them (SO_REUSEPORT). Unix:
  /// just one, because Unix sockets don't support SO_REUSEPORT; the worker that accepts
  /// distributes the connections.
  std::vector<unique_fd> sockets;
};

/// Opens the listening sockets for `address`. Throws boost::system::system_error if the address
/// can't be resolved or is in use, even by another process with SO_REUSEPORT.
[[nodiscard]] listener bind_listener(const endpoint& address, std::size_t workers);

/// Removes the socket file of a closed Unix listener. Does nothing for TCP.
void forget_address(const endpoint& bound) noexcept;

}  // namespace scattergate::net
