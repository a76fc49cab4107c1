#pragma once

#include <vector>

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

/// A listening, non-blocking socket.
struct listening_socket {
  endpoint bound;    ///< the requested address; a requested port 0 is replaced by the port
                     ///< that the kernel chose
  unique_fd socket;  ///< the open, listening descriptor
};

/// Opens one socket, binds it to `address` and listens; bind_listener() opens a socket per
/// worker. If no process listens on a Unix socket's file, replaces the file. Throws
/// boost::system::system_error, for example if the address is in use or can't be resolved.
[[nodiscard]] listening_socket listen_on(const endpoint& address);

/// The workers' listening, non-blocking sockets for one address.
struct listener {
  endpoint bound;  ///< TCP: the resolved IP address, and the port (if port 0 was requested:
                   ///< the port that the kernel chose). Unix: the requested address.
  /// TCP: one socket per worker; the kernel distributes connections among them (SO_REUSEPORT).
  /// Unix: one socket, because Unix sockets don't support SO_REUSEPORT; the worker that
  /// accepts distributes the connections among the workers.
  std::vector<unique_fd> sockets;
};

/// Opens the listening sockets for `address`: one per worker for TCP, one for a Unix socket.
/// Throws boost::system::system_error if the address can't be resolved or is in use, even by
/// another process with SO_REUSEPORT.
[[nodiscard]] listener bind_listener(const endpoint& address, std::size_t workers);

/// Removes the socket file of a closed Unix listener. Does nothing for a TCP address.
void forget_address(const endpoint& bound) noexcept;

}  // namespace scattergate::net
