#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scattergate::net {

/// An address as users write it: `host:port`, `[v6]:port` or `unix:/path`.
struct endpoint {
  std::string host;        ///< name or address, without brackets; empty for a Unix socket
  std::uint16_t port = 0;  ///< a listener with port 0 binds any free port
  std::string path;        ///< the path of a Unix socket; empty for TCP

  /// Whether this is the address of a Unix socket.
  [[nodiscard]] bool is_unix() const noexcept { return !path.empty(); }
  friend bool operator==(const endpoint&, const endpoint&) = default;
};

/// Parses `host:port`, `[v6]:port` or `unix:/path`; std::nullopt if `text` is invalid. A
/// `text` without a port gets `default_port`, or is invalid if `default_port` is 0.
[[nodiscard]] std::optional<endpoint> parse_endpoint(std::string_view text,
                                                     std::uint16_t default_port = 0);

/// Whether `text` is a host name or an IPv4 or IPv6 address, without a port or brackets.
[[nodiscard]] bool is_host(std::string_view text);

/// The address in the form that parse_endpoint() reads.
[[nodiscard]] std::string to_string(const endpoint& address);

}  // namespace scattergate::net
