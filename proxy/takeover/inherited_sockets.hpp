#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::proxy {

/// Listening sockets that existed before this process: a predecessor's or systemd's.
class inherited_sockets {
 public:
  /// `configured`: the address as configured for its listener; empty if only the socket itself
  /// shows it.
  void add(std::string configured, net::unique_fd socket) {
    sockets_.emplace_back(std::move(configured), std::move(socket));
  }

  /// Removes and returns the sockets of one listener on `address`. For a port of 0, which
  /// several may match, all returned sockets are bound to the same port.
  [[nodiscard]] std::vector<net::unique_fd> take(const net::endpoint& address);

  /// Closes sockets that no listener took, because connections would wait there forever.
  void close_rest();

  [[nodiscard]] bool is_empty() const noexcept { return sockets_.empty(); }

 private:
  std::vector<std::pair<std::string, net::unique_fd>> sockets_;
};

/// Takes the sockets passed by systemd's socket activation (sd_listen_fds(3)): $LISTEN_FDS
/// descriptors, from 3 on, if $LISTEN_PID is this process. Removes the variables.
void inherit_from_systemd(inherited_sockets& into);

}  // namespace scattergate::proxy
