#include "net/socket_address.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>

#include <arpa/inet.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

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

namespace asio = boost::asio;
using name_getter = int (*)(int, sockaddr*, socklen_t*);

socket_address address_by(name_getter get, int fd) noexcept {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (get(fd, generic, &size) != 0) return {};
  return {generic, std::min<std::size_t>(size, sizeof address)};
}

template <typename Sockaddr>
Sockaddr as(const socket_address& address) noexcept {
  Sockaddr copy{};
  std::memcpy(&copy, address.data(), std::min<std::size_t>(address.size(), sizeof copy));
  return copy;
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

socket_address::socket_address(const sockaddr* address, std::size_t size) noexcept
    : size_(static_cast<socklen_t>(size)) {
  std::memcpy(&storage_, address, size);
}

const sockaddr* socket_address::data() const noexcept {
  return reinterpret_cast<const sockaddr*>(&storage_);
}

bool operator==(const socket_address& a, const socket_address& b) noexcept {
  return a.size_ == b.size_ && std::memcmp(&a.storage_, &b.storage_, a.size_) == 0;
}

socket_address unix_address(const std::string& path) {
  const asio::local::stream_protocol::endpoint made{path};
  return {made.data(), made.size()};
}

boost::system::result<std::vector<socket_address>> resolve(const endpoint& name) {
  if (name.is_unix()) return std::vector{unix_address(name.path)};
  asio::io_context context;
  asio::ip::tcp::resolver resolver{context};
  boost::system::error_code unresolved;
  std::vector<socket_address> addresses;
  for (const auto& found : resolver.resolve(name.host, std::to_string(name.port), unresolved)) {
    const asio::ip::tcp::endpoint at = found.endpoint();
    addresses.emplace_back(at.data(), at.size());
  }
  if (unresolved) return unresolved;
  return addresses;
}

socket_address peer_of(int fd) noexcept {
  return address_by(::getpeername, fd);
}

socket_address local_of(int fd) noexcept {
  return address_by(::getsockname, fd);
}

std::optional<uid_t> peer_user(int fd) noexcept {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

std::uint16_t port_of(const socket_address& address) noexcept {
  switch (address.family()) {
    case AF_INET:
      return ntohs(as<sockaddr_in>(address).sin_port);
    case AF_INET6:
      return ntohs(as<sockaddr_in6>(address).sin6_port);
    default:
      return 0;
  }
}

std::string host_of(const socket_address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  switch (address.family()) {
    case AF_INET: {
      const auto v4 = as<sockaddr_in>(address);
      return ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    }
    case AF_INET6: {
      const auto v6 = as<sockaddr_in6>(address);
      if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
        return ::inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text.data(), text.size());
      }
      return ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    }
    default:
      return "unix";
  }
}

bool is_loopback(const socket_address& address) {
  const std::string host = host_of(address);
  return host == "unix" || host == "::1" || host.starts_with("127.");
}

endpoint endpoint_of(const socket_address& address) {
  if (address.family() == AF_UNIX) {
    return {{}, 0, as<sockaddr_un>(address).sun_path};
  }
  return {host_of(address), port_of(address), {}};
}

unique_fd new_socket(int family) noexcept {
  return unique_fd{::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
}

unique_fd begin_connect(const socket_address& to, unique_fd by) noexcept {
  int family = AF_UNSPEC;
  socklen_t size = sizeof family;
  if (by) ::getsockopt(by.get(), SOL_SOCKET, SO_DOMAIN, &family, &size);
  if (family != to.family()) {
    by.reset();
    by = new_socket(to.family());
  }
  if (!by) return by;
  const int result = ::connect(by.get(), to.data(), to.size());
  if (result == 0 || errno == EINPROGRESS) return by;
  const int failure = errno;
  by.reset();
  errno = failure;
  return by;
}

bool is_out_of_resources(int error) noexcept {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM ||
         error == EADDRNOTAVAIL;
}

int connect_result(int fd) noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace scattergate::net
