#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scattergate::net {

/// A key that identifies the peer of the connected socket `fd`, for limits per peer. IPv4: the
/// 4 bytes of the address. IPv6: the first 8 bytes (the /64 network), because one host may use
/// a whole /64. Unix socket: the user of the peer's process, such as "uid:1000". Empty if
/// unknown.
[[nodiscard]] std::string peer_key(int fd);

/// A peer_key() as text for people: "192.0.2.1", "2001:db8:1:2::/64", "uid:1000", or "unknown".
[[nodiscard]] std::string peer_text(const std::string& key);

/// An IP address. IPv4 is stored as an IPv4-mapped IPv6 address (::ffff:a.b.c.d, RFC 4291,
/// section 2.5.5.2).
struct ip_address {
  std::array<std::uint8_t, 16> bytes{};  ///< in network byte order
  friend auto operator<=>(const ip_address&, const ip_address&) = default;
};

/// The bytes that identify a client's network: all 4 bytes of an IPv4 address, or the first 8
/// bytes of an IPv6 address (the /64 network, RFC 4291, section 2.5.4). A view into `of`.
[[nodiscard]] std::string_view network_bytes(const ip_address& of) noexcept;

/// Parses an IPv4 or IPv6 address; std::nullopt for any other text, such as "unix".
[[nodiscard]] std::optional<ip_address> parse_ip_address(std::string_view text);

/// A block of IP addresses with a common prefix. Thread-safety: immutable.
class network {
 public:
  /// Parses "10.0.0.0/8", "fd00::/8", or a single address. std::nullopt if `text` is invalid.
  /// Bits set after the prefix, as in "10.1.0.0/8", are invalid: they are probably a mistake.
  [[nodiscard]] static std::optional<network> parse(std::string_view text);

  /// Whether this block contains the address. An IPv6 block with a prefix of less than 96 bits,
  /// such as ::/0, contains no IPv4 address.
  [[nodiscard]] bool contains(const ip_address& address) const noexcept;
  /// Whether this block contains every address of `other`.
  [[nodiscard]] bool contains(const network& other) const noexcept;

  friend bool operator==(const network&, const network&) = default;
  /// The block in the form that parse() reads, always with a prefix length.
  friend std::string to_string(const network& of);

 private:
  ip_address first_;
  unsigned prefix_ = 0;  // length in bits, counted in the 128 bits of first_
};

}  // namespace scattergate::net
