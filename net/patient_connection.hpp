#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "net/socket_address.hpp"
#include "net/transport.hpp"

namespace scattergate::net {

/// A connection of our own that a thread waits for, until a deadline, or until another
/// descriptor is readable.
class patient_connection {
 public:
  using clock = std::chrono::steady_clock;

  /// Begins to connect. `stop`: -1 where nothing but the deadline ends it.
  patient_connection(const socket_address& to, clock::time_point deadline, int stop = -1)
      : transport_(begin_connect(to)), deadline_(deadline), stop_(stop) {}

  /// Waits for that. Where it fails, errno says why. Everything below REQUIRES that it is so.
  [[nodiscard]] bool is_connected();

  [[nodiscard]] int fd() const noexcept { return transport_.fd(); }

  /// From now on everything waits until then.
  void set_deadline(clock::time_point deadline) noexcept { deadline_ = deadline; }
  [[nodiscard]] bool is_late() const noexcept { return clock::now() >= deadline_; }

  /// Everything from now on is under TLS; false where nobody may be trusted to be there.
  [[nodiscard]] bool secure(ssl_handle state);

  /// Why TLS failed, where OpenSSL says; else "".
  [[nodiscard]] const char* tls_failure() const noexcept { return transport_.tls_failure(); }
  [[nodiscard]] bool has_tls_alert() const noexcept { return transport_.has_tls_alert(); }

  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  [[nodiscard]] bool read(std::span<std::byte> room);

  /// What there is, as soon as there is any; `blocked`: not in time.
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
