#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <openssl/ssl.h>

namespace scattergate::bench {

/// A blocking connection to 127.0.0.1, plain or under TLS.
class client_socket {
 public:
  /// `tls` is null for a plain one. Throws std::runtime_error where it can't connect.
  client_socket(int port, SSL_CTX* tls);
  ~client_socket();
  client_socket(client_socket&& other) noexcept;
  client_socket& operator=(client_socket&&) = delete;

  /// Throws std::runtime_error where it can't.
  void send_whole(std::span<const std::byte> bytes);

  /// How many bytes came; 0 for none yet. Throws std::runtime_error at the end.
  [[nodiscard]] std::size_t receive(std::span<std::byte> room);

  /// Whether more has come than receive() gave, without the kernel knowing.
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
