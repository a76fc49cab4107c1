#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "report/sources/capture/conversation.hpp"
#include "report/sources/capture/packet.hpp"
#include "report/sources/capture/tcp_stream.hpp"
#include "report/sources/observation.hpp"
#include "report/sources/recently_used.hpp"

namespace scattergate::report {

/// The TCP connections of a capture, with both directions, and the commands in them. A gap is
/// skipped once the other side has acknowledged it. If there are too many connections, or they
/// hold too much memory, the one silent for the longest is evicted: its requests count without
/// replies, its unfinished messages as lost.
class tcp_connections {
 public:
  /// Limits for connections followed at once, and for their total memory; a single connection
  /// may exceed it by the largest message.
  static constexpr std::size_t most = 20'000;
  static constexpr std::size_t most_held_bytes = 32UL << 20;
  static constexpr std::size_t most_held_by_one = 48UL << 20;

  explicit tcp_connections(observer& to) : parts_(to), receiver_(to) {}

  void receive(const tcp_packet& packet, digest::wall_time at);

  /// Ends all connections.
  void finish();

  /// Totals over all ended connections.
  [[nodiscard]] tcp_stream::byte_counts counts() const noexcept { return counts_; }

  [[nodiscard]] std::size_t size() const noexcept { return open_.size(); }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }

 private:
  /// The two ends, the lesser first.
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

}  // namespace scattergate::report
