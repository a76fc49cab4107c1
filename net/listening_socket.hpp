#pragma once

#include "net/endpoint.hpp"

namespace scattergate::net {

/// A socket that listens: who takes it over closes `fd`.
struct listening_socket {
  int fd;
  int family;      ///< AF_INET, AF_INET6 or AF_UNIX
  endpoint bound;  ///< what was asked for, with the port that was taken for 0
};

/// Opens, binds and listens. A Unix socket that nobody listens on any more is replaced.
/// Throws boost::system::system_error where the address is taken or can't be resolved.
[[nodiscard]] listening_socket listen_on(const endpoint& address);

/// Removes a Unix socket's file, when its listener has been closed.
void forget_address(const endpoint& bound) noexcept;

}  // namespace scattergate::net
