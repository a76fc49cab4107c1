#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "telemetry/admin/admin_pages.hpp"

namespace scattergate::telemetry {

/// The admin server's open connections ("guests"). When a new connection finds no room, closes
/// the least useful one. So health checks succeed no matter how many connections a peer opens.
/// Thread-safety: one thread, except for closed_count().
class admin_guests {
 public:
  enum class state : std::uint8_t {
    silent,     ///< has sent no request
    idle,       ///< its request has been answered
    answering,  ///< its reply is being made or sent
  };
  /// The event stream that a connection listens to.
  enum class stream : std::uint8_t { none, events, tap };

  struct guest {
    std::string peer;                    ///< identifies the peer; see net::peer_key()
    std::function<void()> close_socket;  ///< closes the connection's socket at once
    std::function<bool()> has_left;      ///< whether the peer has closed its side
    state now = state::silent;
    std::shared_ptr<const admin_reply> answer{};  ///< the reply that is being sent; null: none
    bool is_closed = false;                       ///< the server has closed the connection
    stream listens = stream::none;
  };
  using handle = std::list<guest>::iterator;

  /// `max_guests`: maximum number of connections.
  explicit admin_guests(std::size_t max_guests) noexcept : max_guests_(max_guests) {}

  /// Adds a connection. First closes another one if there is no room; see make_room().
  [[nodiscard]] handle add(
      std::string peer, std::function<void()> close_socket,
      std::function<bool()> has_left = [] { return false; });
  /// Closes one connection of the peer with the most connections: a silent one, otherwise an
  /// idle one, otherwise one whose request is being answered. Of several, closes the one that
  /// has been in its state longest. If all connections are listeners, closes the oldest
  /// listener. Returns false if there are no connections.
  bool make_room();
  void remove(handle connection);  ///< forgets a connection that has ended

  /// Records that `connection` has sent a request.
  void request_received(handle connection) { connection->now = state::answering; }
  /// Records that the server begins to send `answer` to `connection`. Several connections may
  /// share one reply.
  void reply_begun(handle connection, std::shared_ptr<const admin_reply> answer);
  /// Records that the reply to `connection` has been sent.
  void reply_sent(handle connection);
  /// Closes the connection that has been receiving its reply for the longest time. Does nothing
  /// if no reply is being sent.
  void close_slowest();

  /// Makes `connection` a listener of an event stream; it no longer counts among the other
  /// connections. If the stream is full, closes the newest listener of the peer with the most
  /// listeners, provided that `connection`'s peer has at least two fewer. Returns false if the
  /// stream stays full or `connection` is already closed.
  [[nodiscard]] bool listen(handle connection, stream to);
  static constexpr std::size_t max_listeners = 16;     ///< for all streams together
  static constexpr std::size_t max_tap_listeners = 4;  ///< for the tap alone
  /// Closes all listeners' connections. Clients that still have access reconnect.
  void dismiss_listeners();

  [[nodiscard]] std::size_t size() const noexcept { return guests_.size(); }

  /// The number of connections closed to make room. Any thread may call it.
  [[nodiscard]] std::uint64_t closed_count() const noexcept { return closed_count_; }

 private:
  void close(handle connection);
  void close_for_others(handle connection);
  void close_departed_listeners();
  [[nodiscard]] std::size_t connections_of(const std::string& peer) const;
  [[nodiscard]] bool make_place(const std::string& peer, std::size_t most,
                                bool (*is_one)(const guest&));

  std::atomic<std::uint64_t> closed_count_{0};
  std::size_t max_guests_;
  std::list<guest> guests_;     ///< not listening; longest in their state first
  std::list<guest> leaving_;    ///< closed, but not ended yet
  std::list<guest> listeners_;  ///< in the order in which they began to listen
};

}  // namespace scattergate::telemetry
