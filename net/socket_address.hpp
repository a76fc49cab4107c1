#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/system/result.hpp>
#include <sys/socket.h>
#include <sys/types.h>

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

/// An IPv4, IPv6 or Unix address of a stream socket, in the kernel's form. Empty if
/// default-constructed.
class socket_address {
 public:
  socket_address() noexcept = default;
  /// Copies the `size` bytes at `address`. REQUIRES: `size` is at most capacity().
  socket_address(const sockaddr* address, std::size_t size) noexcept;

  /// AF_INET, AF_INET6 or AF_UNIX; AF_UNSPEC if empty.
  [[nodiscard]] int family() const noexcept { return storage_.ss_family; }
  /// The address as the kernel's calls need it, size() bytes long.
  [[nodiscard]] const sockaddr* data() const noexcept;
  /// The size of the address in data(), in bytes.
  [[nodiscard]] socklen_t size() const noexcept { return size_; }
  /// The size of the longest address, in bytes.
  [[nodiscard]] static constexpr std::size_t capacity() noexcept {
    return sizeof(sockaddr_storage);
  }

  /// Whether both addresses have the same bytes.
  friend bool operator==(const socket_address& a, const socket_address& b) noexcept;

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

/// The address of a Unix socket: a path, or NUL and an abstract name. Throws
/// boost::system::system_error if `path` is longer than 107 bytes.
[[nodiscard]] socket_address unix_address(const std::string& path);

/// Resolves an endpoint to at least one address, in the resolver's order. Blocks until the
/// resolver answers or gives up. Returns the resolver's error code if it finds no address.
/// Throws like unix_address() if the path of a Unix socket is too long.
[[nodiscard]] boost::system::result<std::vector<socket_address>> resolve(const endpoint& name);

/// The address of the socket's peer; empty if the socket isn't connected.
[[nodiscard]] socket_address peer_of(int fd) noexcept;
/// The socket's own address; empty if the kernel reports none.
[[nodiscard]] socket_address local_of(int fd) noexcept;

/// The user ID of a Unix socket's peer process; std::nullopt if unknown.
[[nodiscard]] std::optional<uid_t> peer_user(int fd) noexcept;

/// The port of `address`; 0 for a Unix socket.
[[nodiscard]] std::uint16_t port_of(const socket_address& address) noexcept;

/// The host of `address`, without the port, as the audit log shows it: "10.0.0.7", "::1", or
/// "unix" for a Unix socket.
[[nodiscard]] std::string host_of(const socket_address& address);

/// Whether only this host can reach a socket bound to `address`. True for a Unix socket.
[[nodiscard]] bool is_loopback(const socket_address& address);

/// The address as an endpoint, the form that users write.
[[nodiscard]] endpoint endpoint_of(const socket_address& address);

/// Creates a non-blocking stream socket of an address family (AF_INET, for example), for
/// begin_connect(). On failure, returns no descriptor and sets errno.
[[nodiscard]] unique_fd new_socket(int family) noexcept;

/// Starts connecting a non-blocking socket to `to`. The socket becomes writable when connecting
/// ends; then connect_result() returns the outcome. If connecting fails at once, returns no
/// descriptor and sets errno. `by`: a socket of new_socket() to use; if it is empty, or of
/// another family than `to`, a new one is created instead.
[[nodiscard]] unique_fd begin_connect(const socket_address& to, unique_fd by = {}) noexcept;

/// Whether a connect error (an errno) means that this process or host is out of descriptors,
/// ports or memory.
[[nodiscard]] bool is_out_of_resources(int error) noexcept;

/// The outcome of begin_connect(): 0 if connected, otherwise an errno. REQUIRES: the socket has
/// become writable.
[[nodiscard]] int connect_result(int fd) noexcept;

/// Builds a PROXY protocol header, version 2, which passes the address `client` to a load
/// balancer port of mongos. `local`: the address to which the client connected. If the two
/// addresses aren't both IPv4 or both IPv6, the header contains no address. Source: haproxy's
/// proxy-protocol.txt, section 2.2.
[[nodiscard]] std::vector<std::byte> proxy_header(const socket_address& client,
                                                  const socket_address& local);

/// Builds a PROXY protocol header, version 2, with the command LOCAL, for connections that
/// scattergate opens for itself, such as health checks.
[[nodiscard]] std::vector<std::byte> local_proxy_header();

}  // namespace scattergate::net
