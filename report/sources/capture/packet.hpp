#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace scattergate::report {

/// One end of a TCP connection.
struct tcp_end {
  std::array<std::byte, 16> address{};  ///< IPv4 is mapped: ::ffff:a.b.c.d
  std::uint16_t port = 0;
  friend auto operator<=>(const tcp_end&, const tcp_end&) = default;
};
[[nodiscard]] std::string address_text(const tcp_end& end);  ///< "10.0.0.1", "::1"

/// A TCP segment in a packet.
struct tcp_packet {
  tcp_end from;
  tcp_end to;
  std::uint32_t number = 0;
  bool begins = false;                        ///< SYN
  bool ends = false;                          ///< FIN or RST
  std::optional<std::uint32_t> acknowledged;  ///< the next byte that `from` expects
  std::span<const std::byte> bytes;
};

/// The supported link types of libpcap.
enum class link_kind : std::uint8_t { ethernet, linux_cooked, linux_cooked_2, raw, loopback };

/// The TCP segment in a captured packet; nothing for other packets and fragments.
[[nodiscard]] std::optional<tcp_packet> parse_packet(link_kind link,
                                                     std::span<const std::byte> packet);

}  // namespace scattergate::report
