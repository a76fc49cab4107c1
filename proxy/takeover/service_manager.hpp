#pragma once

#include <string>
#include <string_view>

namespace scattergate::proxy {

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
