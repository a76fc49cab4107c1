#include "bench/proxies/client_socket.hpp"

#include <stdexcept>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace scattergate::bench {

client_socket::client_socket(int port, SSL_CTX* tls) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("can't connect");
  }
  if (tls == nullptr) return;
  ssl_.reset(SSL_new(tls));
  SSL_set_fd(ssl_.get(), fd_);
  // Makes SSL_read return after a record without data, such as a session ticket.
  SSL_clear_mode(ssl_.get(), SSL_MODE_AUTO_RETRY);
  if (SSL_connect(ssl_.get()) != 1) throw std::runtime_error("the TLS handshake failed");
}

client_socket::~client_socket() {
  if (fd_ >= 0) ::close(fd_);
}

client_socket::client_socket(client_socket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), ssl_(std::move(other.ssl_)) {}

void client_socket::send_whole(std::span<const std::byte> bytes) {
  if (ssl_) {
    if (SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0) return;
    throw std::runtime_error("can't send under TLS");
  }
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) throw std::runtime_error("can't send");
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

std::size_t client_socket::receive(std::span<std::byte> room) {
  if (!ssl_) {
    const ssize_t got = ::recv(fd_, room.data(), room.size(), 0);
    if (got <= 0) throw std::runtime_error("a connection was closed");
    return static_cast<std::size_t>(got);
  }
  const int got = SSL_read(ssl_.get(), room.data(), static_cast<int>(room.size()));
  if (got > 0) return static_cast<std::size_t>(got);
  if (SSL_get_error(ssl_.get(), got) == SSL_ERROR_WANT_READ) return 0;
  throw std::runtime_error("a connection was closed");
}

}  // namespace scattergate::bench
