#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scattergate::net {

/// An IP address; one of IPv4 as IPv6 maps it (::ffff:a.b.c.d, RFC 4291, section 2.5.5.2).
struct ip_address {
  std::array<std::uint8_t, 16> bytes{};
  friend auto operator<=>(const ip_address&, const ip_address&) = default;
};

/// The bytes that tell one client's addresses from another's: of IPv6 those of the /64 network
/// (RFC 4291, section 2.5.4), of IPv4 all. A view into `of`.
[[nodiscard]] std::string_view network_bytes(const ip_address& of) noexcept;

/// The address that a text is; nothing where it is none, as for a Unix socket's "unix".
[[nodiscard]] std::optional<ip_address> parse_ip_address(std::string_view text);

/// A block of addresses: all that begin with the same bits.
/// Thread-safety: immutable.
class network {
 public:
  /// "10.0.0.0/8", "fd00::/8", or one address. Nothing where it is none, or where bits beyond
  /// the prefix are set, as somebody then means something else.
  [[nodiscard]] static std::optional<network> parse(std::string_view text);

  [[nodiscard]] bool holds(const ip_address& address) const noexcept;
  /// Whether every address of `other` is one of these.
  [[nodiscard]] bool holds(const network& other) const noexcept;

  friend bool operator==(const network&, const network&) = default;
  friend std::string to_string(const network& of);

 private:
  ip_address first_;
  unsigned prefix_ = 0;  // of the 128 bits
};

}  // namespace scattergate::net
