#pragma once

#include <vector>

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

/// A listening, non-blocking socket.
struct listening_socket {
  endpoint bound;  ///< what was asked for, with the port that was taken for 0
  unique_fd socket;
};

/// Opens, binds and listens. A Unix socket that nobody listens on any more is replaced.
/// Throws boost::system::system_error where the address is taken or can't be resolved.
[[nodiscard]] listening_socket listen_on(const endpoint& address);

/// The listening, non-blocking sockets of one address.
struct listener {
  endpoint bound;  ///< with the port that was taken for 0
  /// One per worker, so that the kernel spreads connections over them (SO_REUSEPORT); of a Unix
  /// socket, where that doesn't exist, a single one, whose connections are handed round.
  std::vector<unique_fd> sockets;
};

/// The same for so many workers. An address where another instance of ours listens is taken
/// too: SO_REUSEPORT alone would share it silently.
[[nodiscard]] listener bind_listener(const endpoint& address, std::size_t workers);

/// Removes a Unix socket's file, when its listener has been closed.
void forget_address(const endpoint& bound) noexcept;

}  // namespace scattergate::net
