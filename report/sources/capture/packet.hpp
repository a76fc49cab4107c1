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
/// The address without the port: "10.0.0.1", "::1".
[[nodiscard]] std::string address_text(const tcp_end& end);

/// A TCP segment in a packet.
struct tcp_packet {
  tcp_end from;
  tcp_end to;
  std::uint32_t number = 0;                   ///< the TCP sequence number
  bool begins = false;                        ///< has the flag SYN
  bool ends = false;                          ///< has the flag FIN or RST
  std::optional<std::uint32_t> acknowledged;  ///< sequence number of the next byte that `from`
                                              ///< expects; unset: none is stated
  std::span<const std::byte> bytes;  ///< the payload, in the packet's memory; may be empty
};

/// The supported link types of libpcap.
enum class link_kind : std::uint8_t { ethernet, linux_cooked, linux_cooked_2, raw, loopback };

/// The TCP segment in a captured packet; std::nullopt for other packets and for fragments.
[[nodiscard]] std::optional<tcp_packet> parse_packet(link_kind link,
                                                     std::span<const std::byte> packet);

}  // namespace scattergate::report
