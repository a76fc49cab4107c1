#include "report/sources/capture/packet.hpp"

#include <algorithm>

#include <arpa/inet.h>

namespace scattergate::report {
namespace {

constexpr std::uint16_t ether_ip4 = 0x0800;
constexpr std::uint16_t ether_ip6 = 0x86DD;
constexpr std::uint16_t ether_vlan = 0x8100;
constexpr std::uint8_t protocol_tcp = 6;

/// Reads network byte order; callers check all sizes.
std::uint16_t big16(std::span<const std::byte> at) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(at[0]) << 8U |
                                    std::to_integer<unsigned>(at[1]));
}
std::uint32_t big32(std::span<const std::byte> at) {
  return static_cast<std::uint32_t>(big16(at)) << 16U | big16(at.subspan(2));
}

/// The payload of a link-layer frame, and the IP version by the frame's header: 0 if only the
/// packet itself has it.
struct framed {
  std::uint16_t ether_type = 0;
  std::span<const std::byte> inside;
};

std::optional<framed> unframed(link_kind link, std::span<const std::byte> packet) {
  const auto with = [&](std::size_t type_at, std::size_t header) -> std::optional<framed> {
    if (packet.size() < header) return std::nullopt;
    return framed{big16(packet.subspan(type_at)), packet.subspan(header)};
  };
  switch (link) {
    case link_kind::ethernet: {
      auto frame = with(12, 14);
      while (frame && frame->ether_type == ether_vlan) {
        if (frame->inside.size() < 4) return std::nullopt;
        frame = framed{big16(frame->inside.subspan(2)), frame->inside.subspan(4)};
      }
      return frame;
    }
    case link_kind::linux_cooked:
      return with(14, 16);
    case link_kind::linux_cooked_2:
      return with(0, 20);
    case link_kind::loopback:
      if (packet.size() < 4) return std::nullopt;
      return framed{0, packet.subspan(4)};
    case link_kind::raw:
      return framed{0, packet};
  }
  return std::nullopt;
}

bool parse_tcp(std::span<const std::byte> segment, tcp_packet& to) {
  constexpr std::size_t least = 20;
  if (segment.size() < least) return false;
  const std::size_t header = (std::to_integer<std::size_t>(segment[12]) >> 4U) * 4;
  if (header < least || header > segment.size()) return false;
  to.from.port = big16(segment);
  to.to.port = big16(segment.subspan(2));
  to.number = big32(segment.subspan(4));
  const auto flags = std::to_integer<unsigned>(segment[13]);
  to.ends = (flags & 0x05U) != 0;    // FIN, RST
  to.begins = (flags & 0x02U) != 0;  // SYN
  constexpr unsigned ack = 0x10;
  if ((flags & ack) != 0) to.acknowledged = big32(segment.subspan(8));
  to.bytes = segment.subspan(header);
  return true;
}

bool parse_ip4(std::span<const std::byte> packet, tcp_packet& to) {
  constexpr std::size_t least = 20;
  if (packet.size() < least) return false;
  const std::size_t header = (std::to_integer<std::size_t>(packet[0]) & 0x0FU) * 4;
  const std::size_t claimed = big16(packet.subspan(2));
  const bool is_fragment = (big16(packet.subspan(6)) & 0x3FFFU) != 0;
  const bool is_tcp = std::to_integer<std::uint8_t>(packet[9]) == protocol_tcp;
  if (header < least || header > packet.size() || is_fragment || !is_tcp) return false;
  const auto mapped = [](std::span<const std::byte> four) {
    std::array<std::byte, 16> address{};
    address[10] = address[11] = std::byte{0xFF};
    std::copy_n(four.begin(), 4, address.begin() + 12);
    return address;
  };
  to.from.address = mapped(packet.subspan(12));
  to.to.address = mapped(packet.subspan(16));
  // Bytes after the packet are padding; a length of 0 means an offloaded segment.
  const std::size_t size = claimed == 0 ? packet.size() : std::min(claimed, packet.size());
  return size >= header && parse_tcp(packet.first(size).subspan(header), to);
}

bool parse_ip6(std::span<const std::byte> packet, tcp_packet& to) {
  constexpr std::size_t header = 40;
  if (packet.size() < header) return false;
  const std::size_t claimed = big16(packet.subspan(4));
  if (std::to_integer<std::uint8_t>(packet[6]) != protocol_tcp) return false;
  std::copy_n(packet.begin() + 8, 16, to.from.address.begin());
  std::copy_n(packet.begin() + 24, 16, to.to.address.begin());
  const auto rest = packet.subspan(header);
  return parse_tcp(claimed == 0 ? rest : rest.first(std::min(claimed, rest.size())), to);
}

}  // namespace

std::string address_text(const tcp_end& end) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool is_ip4 = end.address[10] == std::byte{0xFF} &&
                      end.address[11] == std::byte{0xFF} &&
                      std::all_of(end.address.begin(), end.address.begin() + 10,
                                  [](std::byte one) { return one == std::byte{0}; });
  const void* const from = is_ip4 ? end.address.data() + 12 : end.address.data();
  ::inet_ntop(is_ip4 ? AF_INET : AF_INET6, from, text.data(), text.size());
  return text.data();
}

std::optional<tcp_packet> parse_packet(link_kind link, std::span<const std::byte> packet) {
  const auto frame = unframed(link, packet);
  if (!frame || frame->inside.empty()) return std::nullopt;
  const unsigned version = std::to_integer<unsigned>(frame->inside[0]) >> 4U;
  const bool may_be_ip4 = frame->ether_type == ether_ip4 || frame->ether_type == 0;
  const bool may_be_ip6 = frame->ether_type == ether_ip6 || frame->ether_type == 0;
  tcp_packet parsed;
  if (may_be_ip4 && version == 4 && parse_ip4(frame->inside, parsed)) return parsed;
  if (may_be_ip6 && version == 6 && parse_ip6(frame->inside, parsed)) return parsed;
  return std::nullopt;
}

}  // namespace scattergate::report
