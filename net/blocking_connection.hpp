#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "net/socket_address.hpp"
#include "net/transport.hpp"

namespace scattergate::net {

/// A blocking outgoing connection with a deadline. All waits end at the deadline, or when the
/// caller's stop descriptor becomes readable.
class blocking_connection {
 public:
  using clock = std::chrono::steady_clock;

  /// Starts connecting. `stop`: a descriptor that interrupts all waits when it becomes
  /// readable; -1: none.
  blocking_connection(const socket_address& to, clock::time_point deadline, int stop = -1)
      : transport_(begin_connect(to)), deadline_(deadline), stop_(stop) {}

  /// Waits until the connection is established. On failure, returns false and sets errno;
  /// ETIMEDOUT stands for the deadline or an interruption. Call it first: all other I/O
  /// REQUIRES that it returned true.
  [[nodiscard]] bool await_connected();

  /// The socket's descriptor; -1 if connecting failed at once.
  [[nodiscard]] int fd() const noexcept { return transport_.fd(); }

  /// Replaces the deadline for all later waits.
  void set_deadline(clock::time_point deadline) noexcept { deadline_ = deadline; }
  /// Whether the deadline has passed.
  [[nodiscard]] bool is_late() const noexcept { return clock::now() >= deadline_; }

  /// Performs the TLS handshake; later bytes are encrypted. Returns false on an error (such as
  /// an untrusted certificate), at the deadline, if interrupted, or if `state` is null.
  [[nodiscard]] bool secure(ssl_handle state);

  /// The reason of a TLS failure, as text; "" if TLS hasn't failed.
  [[nodiscard]] const char* tls_failure() const noexcept { return transport_.tls_failure(); }
  /// Whether TLS failed because the peer sent an alert.
  [[nodiscard]] bool has_tls_alert() const noexcept { return transport_.has_tls_alert(); }

  /// Writes all of `bytes`. Returns false on an error, at the deadline, or if interrupted.
  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  /// Reads until `room` is full. Returns false on an error, at the end of the stream, at the
  /// deadline, or if interrupted.
  [[nodiscard]] bool read(std::span<std::byte> room);

  /// Waits for the first byte, then reads the bytes that have arrived. The status is `blocked`
  /// if no byte arrived before the deadline or an interruption.
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
