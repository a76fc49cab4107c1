#include "net/peer_key.hpp"

#include <cstddef>
#include <cstring>

#include <netinet/in.h>
#include <sys/socket.h>

#include "net/network.hpp"
#include "net/socket_address.hpp"

namespace scattergate::net {

std::string peer_key(int fd) {
  const socket_address peer = peer_of(fd);
  if (peer.size() == 0) return {};
  switch (peer.family()) {
    case AF_INET:
      return {reinterpret_cast<const char*>(peer.data()) + offsetof(sockaddr_in, sin_addr),
              sizeof(in_addr)};
    case AF_INET6: {
      ip_address address;  // an IPv4 client of a dual-stack socket has a mapped address
      std::memcpy(
          address.bytes.data(),
          reinterpret_cast<const std::byte*>(peer.data()) + offsetof(sockaddr_in6, sin6_addr),
          address.bytes.size());
      return std::string{network_bytes(address)};
    }
    default: {
      const auto user = peer_user(fd);
      return user ? "uid:" + std::to_string(*user) : std::string{};
    }
  }
}

}  // namespace scattergate::net
