#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "net/socket_address.hpp"
#include "net/transport.hpp"

namespace scattergate::net {

/// An outgoing connection whose thread blocks until a deadline, or until another descriptor
/// becomes readable.
class patient_connection {
 public:
  using clock = std::chrono::steady_clock;

  /// Starts connecting. `stop`: a descriptor that interrupts waiting when it becomes readable;
  /// -1: none.
  patient_connection(const socket_address& to, clock::time_point deadline, int stop = -1)
      : transport_(begin_connect(to)), deadline_(deadline), stop_(stop) {}

  /// Waits until it is connected; if that fails, errno says why. Everything below REQUIRES that
  /// this returned true.
  [[nodiscard]] bool is_connected();

  [[nodiscard]] int fd() const noexcept { return transport_.fd(); }

  /// Sets the deadline for everything that follows.
  void set_deadline(clock::time_point deadline) noexcept { deadline_ = deadline; }
  [[nodiscard]] bool is_late() const noexcept { return clock::now() >= deadline_; }

  /// Performs the TLS handshake; everything that follows is encrypted. False if it fails or the
  /// certificate isn't trusted.
  [[nodiscard]] bool secure(ssl_handle state);

  /// Why TLS failed, if OpenSSL says so; else "".
  [[nodiscard]] const char* tls_failure() const noexcept { return transport_.tls_failure(); }
  [[nodiscard]] bool has_tls_alert() const noexcept { return transport_.has_tls_alert(); }

  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  [[nodiscard]] bool read(std::span<std::byte> room);

  /// Reads what is available, waiting for the first byte; `blocked` if none arrived in time.
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
