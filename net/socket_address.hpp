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

/// An IPv4, IPv6 or Unix address of a stream socket, as the kernel takes it; empty when made.
class socket_address {
 public:
  socket_address() noexcept = default;
  /// Copies `size` bytes. REQUIRES: `size` is at most capacity().
  socket_address(const sockaddr* address, std::size_t size) noexcept;

  /// AF_INET, AF_INET6 or AF_UNIX; AF_UNSPEC where empty.
  [[nodiscard]] int family() const noexcept { return storage_.ss_family; }
  [[nodiscard]] const sockaddr* data() const noexcept;
  /// The bytes of data() that count.
  [[nodiscard]] socklen_t size() const noexcept { return size_; }
  /// The bytes that the longest address takes.
  [[nodiscard]] static constexpr std::size_t capacity() noexcept {
    return sizeof(sockaddr_storage);
  }

  /// Whether both are the same bytes.
  friend bool operator==(const socket_address& a, const socket_address& b) noexcept;

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

/// Of a Unix socket: a path, or NUL and an abstract name. Throws boost::system::system_error
/// where it is too long.
[[nodiscard]] socket_address unix_address(const std::string& path);

/// The addresses of a name, at least one, in the resolver's order. Nothing cuts that short
/// while a name server is silent.
[[nodiscard]] boost::system::result<std::vector<socket_address>> resolve(const endpoint& name);

/// The address of the other end, or of ours; an empty one where the socket has none any more.
[[nodiscard]] socket_address peer_of(int fd) noexcept;
[[nodiscard]] socket_address local_of(int fd) noexcept;

/// Whose process is at the other end of a Unix socket; nothing where it can't be told.
[[nodiscard]] std::optional<uid_t> peer_user(int fd) noexcept;

/// 0 where the address has none.
[[nodiscard]] std::uint16_t port_of(const socket_address& address) noexcept;

/// The host without its port, as the audit log shows it: "10.0.0.7", "::1", "unix".
[[nodiscard]] std::string host_of(const socket_address& address);

/// Whether only users of this host get to a socket that is bound there.
[[nodiscard]] bool is_loopback(const socket_address& address);

/// The address as users write it.
[[nodiscard]] endpoint endpoint_of(const socket_address& address);

/// A non-blocking socket whose connecting has begun; none, with errno set, where it can't even
/// begin. It becomes writable when it's done, see connect_result().
[[nodiscard]] unique_fd begin_connect(const socket_address& to) noexcept;

/// Whether connecting failed because we have run out: of descriptors, ports or memory.
[[nodiscard]] bool is_out_of_resources(int error) noexcept;

/// 0, or the errno of a connecting that has ended.
[[nodiscard]] int connect_result(int fd) noexcept;

}  // namespace scattergate::net
