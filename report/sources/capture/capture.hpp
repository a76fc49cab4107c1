#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "report/sources/capture/conversation.hpp"
#include "report/sources/capture/packet.hpp"
#include "report/sources/capture/tcp_stream.hpp"
#include "report/sources/input.hpp"
#include "report/sources/observation.hpp"
#include "report/sources/recently_used.hpp"

namespace scattergate::report {

/// Reads the TCP connections of a capture, and passes their commands to an observer. Skips a
/// gap once the receiver has acknowledged the missing bytes. If there are too many connections,
/// or they hold too much memory, evicts the connection that was silent for the longest. To
/// evict a connection is to pass on its requests without replies, and to count its unfinished
/// messages as lost.
class tcp_connections {
 public:
  /// The maximum number of open connections. Beyond it, a new connection evicts the least
  /// recently used one.
  static constexpr std::size_t most = 20'000;
  /// The maximum number of bytes that all open connections hold together. Beyond it,
  /// connections are evicted, except the one that has just received a packet.
  static constexpr std::size_t most_held_bytes = 32UL << 20;
  /// The maximum number of bytes that a single connection holds once all others were evicted.
  /// Beyond it, this connection is evicted, too, although it has just received a packet.
  static constexpr std::size_t most_held_by_one = 48UL << 20;

  /// `to`: receives the commands; must outlive this object.
  explicit tcp_connections(observer& to) : parts_(to), receiver_(to) {}

  /// Takes the next packet, captured at `at`.
  void receive(const tcp_packet& packet, digest::wall_time at);

  /// Ends all connections: passes on what they hold. Call it at the end of the capture.
  void finish();

  /// The bytes of all ended connections, in the directions that carried MongoDB's messages.
  [[nodiscard]] tcp_stream::byte_counts counts() const noexcept { return counts_; }

  /// The number of open connections.
  [[nodiscard]] std::size_t size() const noexcept { return open_.size(); }
  /// Memory held by all open connections, in bytes.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }

 private:
  /// The two ends of a connection, in the order of tcp_end.
  struct ends {
    tcp_end low, high;
    friend bool operator==(const ends&, const ends&) = default;
  };
  struct ends_hash {
    std::size_t operator()(const ends& of) const noexcept;
  };
  struct direction {
    tcp_stream stream;
    bool has_ended = false;
  };
  struct connection {
    conversation talk;
    std::array<direction, 2> ways{};  ///< from the lower end, from the higher end
    std::size_t held_bytes = 0;
    bool is_tls_reported = false;
  };
  using table = recently_used<ends, connection, ends_hash>;

  [[nodiscard]] table::entry* entry_of(const ends& name, const tcp_packet& packet);
  void read(connection& one, tcp_stream& stream, digest::wall_time at);
  void count_held(connection& one);
  void free_memory(table::entry& in_use);
  void finish(connection& one);
  void close(table::entry& one);

  conversation_parts parts_;
  observer& receiver_;
  table open_;
  std::size_t held_bytes_ = 0;
  tcp_stream::byte_counts counts_;
  digest::wall_time last_{};  ///< time of the last packet
};

/// Whether bytes begin a pcap or pcapng file.
[[nodiscard]] bool is_capture(std::string_view begins) noexcept;

/// Reads packets captured between clients and a mongos (or mongod), and passes their commands
/// to `to`, with times and errors. Reassembles both directions and decompresses messages. `to`
/// counts gaps and TLS connections as skipped. Calls `on_progress` regularly, and stops if it
/// returns false. Returns why reading ended, and which share of the bytes is missing.
[[nodiscard]] read_end read_capture(input& from, observer& to,
                                    const std::function<bool(const input&)>& on_progress);

}  // namespace scattergate::report
