#pragma once

#include <vector>

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

/// The listening, non-blocking sockets of one address.
struct listener {
  endpoint bound;  ///< with the port that was taken for 0
  /// One per worker, so that the kernel spreads connections over them (SO_REUSEPORT); of a Unix
  /// socket, where that doesn't exist, a single one, whose connections are handed round.
  std::vector<unique_fd> sockets;
};

/// Binds `address` for so many workers. Throws boost::system::system_error where the address is
/// taken, by another instance of ours too: SO_REUSEPORT alone would share it silently.
[[nodiscard]] listener bind_listener(const endpoint& address, std::size_t workers);

}  // namespace scattergate::net
