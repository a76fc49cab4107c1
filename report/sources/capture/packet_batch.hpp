#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "digest/row.hpp"
#include "report/sources/capture/packet.hpp"

namespace scattergate::report {

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
