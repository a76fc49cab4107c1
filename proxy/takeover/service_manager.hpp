#pragma once

#include <string>
#include <string_view>

namespace scattergate::proxy {

/// Reports the daemon's state to systemd or another service manager (sd_notify(3)): one
/// datagram per state to the socket in $NOTIFY_SOCKET. Does nothing without that variable.
/// Ignores errors.
class service_manager {
 public:
  /// `socket`: a path, or `@` and an abstract name; empty: none.
  explicit service_manager(std::string socket) : socket_(std::move(socket)) {}

  /// Uses the socket that the environment names.
  [[nodiscard]] static service_manager from_environment();

  /// Reports that the daemon serves. `status`: text for `systemctl status`.
  void notify_ready(std::string_view status) const;

  /// Reports that a reload has begun. Call notify_ready() when it has ended, successful or not.
  void notify_reloading() const;

  /// Reports that a drain has begun.
  void notify_stopping(std::string_view status) const;

 private:
  void send(std::string_view state) const;

  std::string socket_;
};

}  // namespace scattergate::proxy
