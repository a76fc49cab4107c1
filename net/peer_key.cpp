#include "net/peer_key.hpp"

#include <cstring>

#include <netinet/in.h>
#include <sys/socket.h>

namespace scattergate::net {
namespace {

constexpr std::size_t network_bytes = 8;  // of an IPv6 address (RFC 4291, section 2.5.4)

template <typename Part>
std::string bytes_of(const Part& part, std::size_t size) {
  std::string bytes(size, '\0');
  std::memcpy(bytes.data(), &part, size);
  return bytes;
}

std::string user_of(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
  return "uid:" + std::to_string(peer.uid);
}

}  // namespace

std::string peer_key(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  if (address.ss_family == AF_UNIX) return user_of(fd);
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return bytes_of(v4.sin_addr, sizeof v4.sin_addr);
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  return bytes_of(v6.sin6_addr, network_bytes);
}

}  // namespace scattergate::net
