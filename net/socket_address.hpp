#pragma once

#include <cstdint>
#include <string>

#include <boost/asio/generic/stream_protocol.hpp>

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

/// An IPv4, IPv6 or Unix address, as the kernel takes it.
using socket_address = boost::asio::generic::stream_protocol::endpoint;

/// The address of the other end, or of ours; an empty one where the socket has none any more.
[[nodiscard]] socket_address peer_of(int fd) noexcept;
[[nodiscard]] socket_address local_of(int fd) noexcept;

/// The host without its port, as the audit log shows it: "10.0.0.7", "::1", "unix".
[[nodiscard]] std::string host_of(const socket_address& address);

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
