#include "net/peer_key.hpp"

#include <cstddef>
#include <string_view>

#include <netinet/in.h>
#include <sys/socket.h>

#include "net/socket_address.hpp"

namespace scattergate::net {
namespace {

constexpr std::size_t network_bytes = 8;  // of an IPv6 address (RFC 4291, section 2.5.4)
constexpr std::string_view mapped{"\0\0\0\0\0\0\0\0\0\0\xff\xff", 12};

std::string bytes_of(const socket_address& address, std::size_t at, std::size_t size) {
  return {reinterpret_cast<const char*>(address.data()) + at, size};
}

}  // namespace

std::string peer_key(int fd) {
  const socket_address peer = peer_of(fd);
  if (peer.size() == 0) return {};
  switch (peer.family()) {
    case AF_INET:
      return bytes_of(peer, offsetof(sockaddr_in, sin_addr), sizeof(in_addr));
    case AF_INET6: {
      constexpr std::size_t address = offsetof(sockaddr_in6, sin6_addr);
      const std::string whole = bytes_of(peer, address, sizeof(in6_addr));
      // One of IPv4, to a socket that takes both (RFC 4291, section 2.5.5.2).
      if (whole.starts_with(mapped)) return whole.substr(mapped.size());
      return whole.substr(0, network_bytes);
    }
    default: {
      const auto user = peer_user(fd);
      return user ? "uid:" + std::to_string(*user) : std::string{};
    }
  }
}

}  // namespace scattergate::net
