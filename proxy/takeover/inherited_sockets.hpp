#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::proxy {

/// Listening sockets that were there before this process: a predecessor's, or systemd's.
class inherited_sockets {
 public:
  /// `configured`: the address as its listener was told it; empty where only the socket itself
  /// tells.
  void add(std::string configured, net::unique_fd socket) {
    sockets_.emplace_back(std::move(configured), std::move(socket));
  }

  /// The sockets of one listener on `address` (a port of 0 may stand for several), all bound to
  /// the same; they are taken out.
  [[nodiscard]] std::vector<net::unique_fd> take(const net::endpoint& address);

  /// Closes what nobody has taken: connections would wait there for ever.
  void close_rest();

  [[nodiscard]] bool is_empty() const noexcept { return sockets_.empty(); }

 private:
  std::vector<std::pair<std::string, net::unique_fd>> sockets_;
};

/// What systemd's socket activation left for us (sd_listen_fds(3)): the descriptors from 3 on,
/// as many as $LISTEN_FDS says, where $LISTEN_PID is ours. The variables are removed.
void inherit_from_systemd(inherited_sockets& into);

}  // namespace scattergate::proxy
