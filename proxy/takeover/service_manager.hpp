#pragma once

#include <string>
#include <string_view>

namespace scattergate::proxy {

/// Tells systemd, or whatever else started us, how we are doing (sd_notify(3)): one datagram
/// per state to the socket that $NOTIFY_SOCKET names. Where nobody asks, nothing happens; a
/// datagram that can't be sent is lost, because there is nothing better to do about it.
class service_manager {
 public:
  /// `socket`: a path, or `@` and an abstract name; empty: nobody asks.
  explicit service_manager(std::string socket) : socket_(std::move(socket)) {}

  /// The one that the environment names.
  [[nodiscard]] static service_manager from_environment();

  /// Serving. `status` is a line for people (`systemctl status`).
  void tell_ready(std::string_view status) const;

  /// A reload has begun; tell_ready() ends it, whether it took effect or not.
  void tell_reloading() const;

  /// A drain has begun.
  void tell_stopping(std::string_view status) const;

 private:
  void send(std::string_view state) const;

  std::string socket_;
};

}  // namespace scattergate::proxy
