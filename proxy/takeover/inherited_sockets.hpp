#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::proxy {

/// Listening sockets that this process has got from systemd or from a predecessor; see
/// handover.hpp.
class inherited_sockets {
 public:
  /// Adds a socket. `configured`: its address in the predecessor's configuration; empty if it
  /// is from systemd.
  void add(std::string configured, net::unique_fd socket) {
    sockets_.emplace_back(std::move(configured), std::move(socket));
  }

  /// Removes and returns the sockets that were configured with `address` or are bound to it;
  /// empty if there are none. If sockets with different ports match (port 0), returns those of
  /// one port.
  [[nodiscard]] std::vector<net::unique_fd> take(const net::endpoint& address);

  /// Closes the remaining sockets, because nothing would accept their connections. Logs each
  /// (line 1021).
  void close_rest();

  [[nodiscard]] bool is_empty() const noexcept { return sockets_.empty(); }

 private:
  std::vector<std::pair<std::string, net::unique_fd>> sockets_;
};

/// Adds the listening sockets that systemd's socket activation has passed (sd_listen_fds(3)):
/// $LISTEN_FDS descriptors, from 3 on, if $LISTEN_PID is this process. Removes these variables
/// from the environment.
void inherit_from_systemd(inherited_sockets& into);

}  // namespace scattergate::proxy
