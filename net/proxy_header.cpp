#include "net/proxy_header.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <netinet/in.h>
#include <sys/socket.h>

namespace scattergate::net {
namespace {

constexpr std::array<std::uint8_t, 12> signature = {0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d,
                                                    0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a};
constexpr std::uint8_t version_2_local = 0x20;
constexpr std::uint8_t version_2_proxy = 0x21;
constexpr std::uint8_t unspecified = 0x00;
constexpr std::uint8_t tcp_over_ipv4 = 0x11;
constexpr std::uint8_t tcp_over_ipv6 = 0x21;

void append(std::vector<std::byte>& to, const void* from, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(from);
  to.insert(to.end(), bytes, bytes + size);
}

/// Appends the two addresses, then the two ports; they are in network byte order already.
/// `address` and `port`: the members of `Sockaddr` that hold them.
template <typename Sockaddr, typename Address, typename Port>
void append_both(std::vector<std::byte>& to, const socket_address& client,
                 const socket_address& local, Address Sockaddr::*address,
                 Port Sockaddr::*port) {
  const auto& from = *reinterpret_cast<const Sockaddr*>(client.data());
  const auto& at = *reinterpret_cast<const Sockaddr*>(local.data());
  append(to, &(from.*address), sizeof(Address));
  append(to, &(at.*address), sizeof(Address));
  append(to, &(from.*port), sizeof(Port));
  append(to, &(at.*port), sizeof(Port));
}

std::vector<std::byte> header_of(std::uint8_t command, std::uint8_t kind,
                                 std::span<const std::byte> addresses) {
  // Allocated at its final size: g++ 12 warns of an overflow if the vector grows here.
  std::vector<std::byte> header(signature.size() + 4 + addresses.size());
  auto end = std::transform(signature.begin(), signature.end(), header.begin(),
                            [](std::uint8_t each) { return std::byte{each}; });
  *end++ = std::byte{command};
  *end++ = std::byte{kind};
  *end++ = std::byte{0};  // the length, in network byte order: at most 36
  *end++ = static_cast<std::byte>(addresses.size());
  std::copy(addresses.begin(), addresses.end(), end);
  return header;
}

}  // namespace

std::vector<std::byte> local_proxy_header() {
  return header_of(version_2_local, unspecified, {});
}

std::vector<std::byte> proxy_header(const socket_address& client, const socket_address& local) {
  const int family = client.family();
  const bool is_like = family == local.family();
  std::vector<std::byte> addresses;
  std::uint8_t kind = unspecified;
  if (is_like && family == AF_INET) {
    kind = tcp_over_ipv4;
    append_both(addresses, client, local, &sockaddr_in::sin_addr, &sockaddr_in::sin_port);
  } else if (is_like && family == AF_INET6) {
    kind = tcp_over_ipv6;
    append_both(addresses, client, local, &sockaddr_in6::sin6_addr, &sockaddr_in6::sin6_port);
  }
  return header_of(version_2_proxy, kind, addresses);
}

}  // namespace scattergate::net
