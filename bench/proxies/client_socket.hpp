#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <openssl/ssl.h>

namespace scattergate::bench {

/// A blocking connection to 127.0.0.1, plain or with TLS.
class client_socket {
 public:
  /// Connects to a port of 127.0.0.1. `tls`: the settings of a TLS client; null for a plain
  /// connection. Throws std::runtime_error on failure.
  client_socket(int port, SSL_CTX* tls);
  ~client_socket();
  client_socket(client_socket&& other) noexcept;
  client_socket& operator=(client_socket&&) = delete;

  /// Sends all bytes. Throws std::runtime_error on failure.
  void send_whole(std::span<const std::byte> bytes);

  /// Receives bytes into `room` and returns their number; 0: only part of a TLS record has
  /// arrived. Throws std::runtime_error at the end of the stream, and on an error.
  [[nodiscard]] std::size_t receive(std::span<std::byte> room);

  /// Whether decrypted data waits, so that receive() returns without waiting for the socket.
  [[nodiscard]] bool holds_more() const noexcept {
    return ssl_ != nullptr && SSL_pending(ssl_.get()) > 0;
  }
  /// The socket's descriptor, which this object owns.
  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  struct free_ssl {
    void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
  };
  int fd_;
  std::unique_ptr<SSL, free_ssl> ssl_;
};

}  // namespace scattergate::bench
