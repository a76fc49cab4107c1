#include "net/peer_key.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include <arpa/inet.h>
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

std::string peer_text(const std::string& key) {
  if (key.starts_with("uid:")) return key;
  // An IPv6 network's other bytes are 0.
  std::array<char, INET6_ADDRSTRLEN> text{};
  std::array<char, sizeof(in6_addr)> address{};
  std::ranges::copy(key.substr(0, address.size()), address.begin());
  const bool is_v4 = key.size() == sizeof(in_addr);
  if (key.empty() || ::inet_ntop(is_v4 ? AF_INET : AF_INET6, address.data(), text.data(),
                                 text.size()) == nullptr) {
    return "unknown";
  }
  return std::string{text.data()} + (is_v4 ? "" : "/64");
}

}  // namespace scattergate::net
