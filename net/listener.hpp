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

/// Opens, binds and listens. Replaces a Unix socket without a listener. Throws
/// boost::system::system_error if the address is in use or can't be resolved.
[[nodiscard]] listening_socket listen_on(const endpoint& address);

/// The listening, non-blocking sockets of one address.
struct listener {
  endpoint bound;  ///< with the port that was chosen for 0
  /// One per worker, so that the kernel distributes connections among them (SO_REUSEPORT). A
  /// Unix socket has a single one, because it doesn't support that; its connections are
  /// distributed by the worker that accepts them.
  std::vector<unique_fd> sockets;
};

/// Opens, binds and listens with a socket for each of `workers`. Throws
/// boost::system::system_error as listen_on() does, also if another instance listens on the
/// address: SO_REUSEPORT alone would share it silently.
[[nodiscard]] listener bind_listener(const endpoint& address, std::size_t workers);

/// Removes the file of a Unix socket whose listener has been closed.
void forget_address(const endpoint& bound) noexcept;

}  // namespace scattergate::net
