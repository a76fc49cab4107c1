#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "net/socket_address.hpp"
#include "net/transport.hpp"

namespace scattergate::net {

/// A blocking outgoing connection with a deadline. Another descriptor can interrupt its waits.
class patient_connection {
 public:
  using clock = std::chrono::steady_clock;

  /// Starts connecting. All waits end when the descriptor `stop` becomes readable; -1: none.
  patient_connection(const socket_address& to, clock::time_point deadline, int stop = -1)
      : transport_(begin_connect(to)), deadline_(deadline), stop_(stop) {}

  /// Waits until the connection is established. If not, errno has the reason; ETIMEDOUT also if
  /// interrupted. Call it first: all other I/O REQUIRES that it returned true.
  [[nodiscard]] bool is_connected();

  [[nodiscard]] int fd() const noexcept { return transport_.fd(); }

  /// Sets the deadline for everything that follows.
  void set_deadline(clock::time_point deadline) noexcept { deadline_ = deadline; }
  /// Whether the deadline has passed.
  [[nodiscard]] bool is_late() const noexcept { return clock::now() >= deadline_; }

  /// Performs the TLS handshake and encrypts everything that follows. False on an error, such
  /// as an untrusted certificate, at the deadline, if interrupted, or if `state` is null.
  [[nodiscard]] bool secure(ssl_handle state);

  /// OpenSSL's reason for a TLS failure; "" if it gives none.
  [[nodiscard]] const char* tls_failure() const noexcept { return transport_.tls_failure(); }
  /// Whether TLS failed because of an alert from the peer.
  [[nodiscard]] bool has_tls_alert() const noexcept { return transport_.has_tls_alert(); }

  /// Writes all bytes. False on an error, at the deadline, or if interrupted.
  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  /// Fills `room`. False on an error, at the end of the stream, at the deadline, or if
  /// interrupted.
  [[nodiscard]] bool read(std::span<std::byte> room);

  /// Waits for the first byte, and reads what is available. `blocked` if none arrived by the
  /// deadline, or if interrupted.
  [[nodiscard]] io_result read_some(std::span<std::byte> room);

 private:
  template <typename Attempt>
  [[nodiscard]] io_result moved(Attempt attempt, short awaited);
  [[nodiscard]] bool wait(short awaited) const;

  transport transport_;
  clock::time_point deadline_;
  int stop_;
};

}  // namespace scattergate::net
