#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <openssl/ssl.h>

namespace scattergate::bench {

/// A blocking connection to 127.0.0.1, plain or with TLS.
class client_socket {
 public:
  /// `tls`: null for a plain one. Throws std::runtime_error if it can't connect.
  client_socket(int port, SSL_CTX* tls);
  ~client_socket();
  client_socket(client_socket&& other) noexcept;
  client_socket& operator=(client_socket&&) = delete;

  /// Throws std::runtime_error on failure.
  void send_whole(std::span<const std::byte> bytes);

  /// The number of bytes received; 0: none yet. Throws std::runtime_error at the end.
  [[nodiscard]] std::size_t receive(std::span<std::byte> room);

  /// Whether data remains in user space after receive().
  [[nodiscard]] bool holds_more() const noexcept {
    return ssl_ != nullptr && SSL_pending(ssl_.get()) > 0;
  }
  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  struct free_ssl {
    void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
  };
  int fd_;
  std::unique_ptr<SSL, free_ssl> ssl_;
};

}  // namespace scattergate::bench
