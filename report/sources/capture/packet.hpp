#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "digest/row.hpp"

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

/// TCP segments of a capture with their times, to pass to another thread (batch_thread).
/// Copies the segments' bytes, because libpcap reuses a packet's memory.
class packet_batch {
 public:
  /// Whether the batch has room for the segment. An empty batch has room for any segment.
  [[nodiscard]] bool has_room_for(const tcp_packet& one) const noexcept {
    return packets_.empty() ||
           (packets_.size() < most && bytes_.size() + one.bytes.size() <= bytes_.capacity());
  }

  /// Appends a segment that was captured at `at`. REQUIRES: has_room_for(one).
  void add(const tcp_packet& one, digest::wall_time at) {
    if (bytes_.capacity() < most_bytes) bytes_.reserve(most_bytes);
    const std::size_t begin = bytes_.size();
    bytes_.insert(bytes_.end(), one.bytes.begin(), one.bytes.end());
    packets_.emplace_back(one, at).first.bytes = std::span{bytes_}.subspan(begin);
  }

  void clear() noexcept {
    packets_.clear();
    bytes_.clear();
  }

  /// The segments in order of arrival, with their times; valid until clear().
  [[nodiscard]] const std::vector<std::pair<tcp_packet, digest::wall_time>>& packets()
      const noexcept {
    return packets_;
  }

 private:
  // Large enough to make waking the other thread cheap, small enough for a core's cache.
  static constexpr std::size_t most = 2048;
  static constexpr std::size_t most_bytes = 256UL << 10;

  std::vector<std::pair<tcp_packet, digest::wall_time>> packets_;
  std::vector<std::byte> bytes_;  ///< the segments' bytes; never reallocated while there are
                                  ///< segments
};

}  // namespace scattergate::report
