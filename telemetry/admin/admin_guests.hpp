#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "net/unique_fd.hpp"
#include "telemetry/admin/admin_pages.hpp"

namespace scattergate::telemetry {

/// A reserve of file descriptors, with which the admin server still replies when the process
/// has no free descriptors. This may fail, because another thread may take a released
/// descriptor first. Thread-safety: one thread.
class spare_descriptors {
 public:
  /// The number of descriptors that one reply needs: its connection, and a file below /proc for
  /// /metrics.
  static constexpr std::size_t per_answer = 2;

  /// Reserves up to `count` descriptors.
  explicit spare_descriptors(std::size_t count);

  /// Closes reserved descriptors: at most as many as one reply needs. Returns false if the
  /// reserve is empty.
  [[nodiscard]] bool release() noexcept;
  /// Fills the reserve up again, as far as the process has free descriptors.
  void refill() noexcept;

  /// The number of descriptors in reserve.
  [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }

 private:
  std::vector<net::unique_fd> held_;
};

/// The admin server's open connections ("guests"). When the maximum is reached, a new
/// connection replaces the least useful one. Health checks therefore succeed no matter how many
/// connections a peer opens. Thread-safety: one thread, except for closed_count().
class admin_guests {
 public:
  /// What a connection is doing.
  enum class state : std::uint8_t {
    silent,     ///< has sent no request
    idle,       ///< its request has been answered
    answering,  ///< the reply to its request is being made or sent
  };
  /// The event stream that a connection listens to.
  enum class stream : std::uint8_t { none, events, tap };

  /// One open connection.
  struct guest {
    std::string peer;  ///< the key by which connections of one peer are counted; see
                       ///< net::peer_key()
    std::function<void()> close_socket;  ///< closes the connection's socket at once
    std::function<bool()> has_left;      ///< whether the peer has closed its side
    state now = state::silent;
    std::shared_ptr<const admin_reply> answer{};  ///< the reply that is being sent; null: none
    bool is_closed = false;                       ///< the server has closed the connection
    stream listens = stream::none;
  };
  using handle = std::list<guest>::iterator;

  /// `max_guests`: maximum number of connections that aren't listeners of an event stream.
  explicit admin_guests(std::size_t max_guests) noexcept : max_guests_(max_guests) {}

  /// Adds a connection. If `max_guests` connections are open, first closes another one, as
  /// make_room() does. `close_socket` and `has_left`: see guest. The handle is valid until
  /// remove().
  [[nodiscard]] handle add(
      std::string peer, std::function<void()> close_socket,
      std::function<bool()> has_left = [] { return false; });
  /// Closes one connection. Chooses the peer with the most connections, and of these preferably
  /// a silent one, otherwise an idle one, otherwise one whose request is being answered. Of
  /// several in the same state, chooses the one that has been in it longest. If all connections
  /// are listeners of event streams, closes the listener that has listened longest. Returns
  /// false if there are no connections.
  bool make_room();
  void remove(handle connection);  ///< removes a connection that has ended

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

  /// Makes `connection` a listener of an event stream. A listener counts toward max_listeners
  /// and max_tap_listeners instead of `max_guests`. If such a limit is reached, closes the
  /// newest listener of the peer with the most listeners. This happens only if the peer of
  /// `connection` has at least two listeners fewer; otherwise returns false. Also returns false
  /// if `connection` is already closed.
  [[nodiscard]] bool listen(handle connection, stream to);
  static constexpr std::size_t max_listeners = 16;     ///< maximum number of listeners of all
                                                       ///< streams together
  static constexpr std::size_t max_tap_listeners = 4;  ///< maximum number of listeners of the
                                                       ///< tap
  /// Closes the connections of all listeners. Clients that still have access reconnect.
  void dismiss_listeners();

  /// The number of connections that aren't listeners and aren't closed.
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
  std::list<guest> leaving_;    ///< closed by this object, but not yet removed by remove()
  std::list<guest> listeners_;  ///< in the order in which they began to listen
};

}  // namespace scattergate::telemetry
