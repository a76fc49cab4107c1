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

/// The open connections of the admin address. If there is no room for a new one, closes the
/// least useful one, so that health checks get through however many connections a peer opens.
/// Thread-safety: one thread, except for cut_count().
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
    std::string peer;                ///< net::peer_key()
    std::function<void()> cut;       ///< closes the connection's socket at once
    std::function<bool()> has_left;  ///< whether the peer has closed its side
    state now = state::silent;
    std::shared_ptr<const admin_reply> answer{};  ///< being sent
    bool is_cut = false;
    stream listens = stream::none;
  };
  using handle = std::list<guest>::iterator;

  /// `max_guests`: maximum number of connections.
  explicit admin_guests(std::size_t max_guests) noexcept : max_guests_(max_guests) {}

  /// Adds a connection; closes another one if there is no room.
  [[nodiscard]] handle add(
      std::string peer, std::function<void()> cut,
      std::function<bool()> has_left = [] { return false; });
  /// Closes one connection of the peer with the most connections: a silent one, otherwise an
  /// idle one, otherwise one being answered; of several, the one that has been in its state
  /// longest. False if there is none.
  bool make_room();
  void remove(handle gone);  ///< the connection has ended

  /// Records that `by` has sent a request.
  void asked(handle by) { by->now = state::answering; }
  /// Records that `answer`, which connections may share, is being sent to `by`.
  void answer(handle by, std::shared_ptr<const admin_reply> answer);
  /// Records that the reply to `by` has been sent.
  void answered(handle by);
  /// Closes the connection that has been receiving its reply for the longest time.
  void cut_slowest();

  /// Makes `by` a listener of an event stream; it no longer counts among the other connections.
  /// If the stream is full, closes the newest listener of the peer with the most, provided that
  /// `by`'s peer has at least two fewer. False if there is no place.
  [[nodiscard]] bool listen(handle by, stream to);
  static constexpr std::size_t max_listeners = 16;     ///< over all streams
  static constexpr std::size_t max_tap_listeners = 4;  ///< of the tap
  /// Closes all listeners; permitted clients reconnect.
  void dismiss_listeners();

  [[nodiscard]] std::size_t size() const noexcept { return guests_.size(); }

  /// Connections closed to make room. Any thread may call it.
  [[nodiscard]] std::uint64_t cut_count() const noexcept { return cuts_; }

 private:
  void cut(handle who);
  void cut_for_others(handle who);
  void cut_departed_listeners();
  [[nodiscard]] std::size_t connections_of(const std::string& peer) const;
  [[nodiscard]] bool make_place(const std::string& peer, std::size_t most,
                                bool (*is_one)(const guest&));

  std::atomic<std::uint64_t> cuts_{0};
  std::size_t max_guests_;
  std::list<guest> guests_;     ///< longest in their state first
  std::list<guest> leaving_;    ///< closed, but not ended yet
  std::list<guest> listeners_;  ///< in the order in which they began to listen
};

}  // namespace scattergate::telemetry
