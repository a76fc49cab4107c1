#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::proxy {

/// Listening sockets that this process has received from systemd, or from a predecessor (the
/// daemon that this process replaces; see handover.hpp).
class inherited_sockets {
 public:
  /// Adds a socket. `configured`: the socket's address in the predecessor's configuration;
  /// empty if the socket is from systemd.
  void add(std::string configured, net::unique_fd socket) {
    sockets_.emplace_back(std::move(configured), std::move(socket));
  }

  /// Finds the first socket that was configured with `address` or is bound to it. Removes and
  /// returns all sockets that are bound to the same address and port as this socket. Empty if
  /// there is none.
  [[nodiscard]] std::vector<net::unique_fd> take(const net::endpoint& address);

  /// Closes the sockets that take() hasn't returned, because no listener would accept their
  /// connections. Logs a warning for each (id 1021).
  void close_rest();

  /// Whether take() has returned all sockets, or there was none.
  [[nodiscard]] bool is_empty() const noexcept { return sockets_.empty(); }

 private:
  std::vector<std::pair<std::string, net::unique_fd>> sockets_;
};

/// Adds the listening sockets that systemd's socket activation has passed to this process
/// (sd_listen_fds(3)). If $LISTEN_PID is this process, these are $LISTEN_FDS descriptors, from
/// descriptor 3 on. Skips descriptors that don't listen. Removes the $LISTEN_ variables from
/// the environment.
void inherit_from_systemd(inherited_sockets& into);

/// Reports changes of the daemon's state to systemd or another service manager (sd_notify(3)).
/// Sends one datagram per change to a Unix socket. Ignores errors.
class service_manager {
 public:
  /// `socket`: the path of a Unix socket, or `@` and an abstract name; empty: this object
  /// sends no reports.
  explicit service_manager(std::string socket) : socket_(std::move(socket)) {}

  /// Uses the socket that $NOTIFY_SOCKET names. Without that variable, the result sends no
  /// reports.
  [[nodiscard]] static service_manager from_environment();

  /// Reports that the daemon serves clients. `status`: text for `systemctl status`.
  void notify_ready(std::string_view status) const;

  /// Reports that a reload has begun. Call notify_ready() when it has ended, successful or not.
  void notify_reloading() const;

  /// Reports that a drain has begun. `status`: text for `systemctl status`.
  void notify_stopping(std::string_view status) const;

 private:
  void send(std::string_view state) const;

  std::string socket_;
};

}  // namespace scattergate::proxy
