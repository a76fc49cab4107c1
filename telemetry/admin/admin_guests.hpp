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

/// The connections of the admin address, and which of them is cut where there is no room for
/// one more: a new connection is always served, so that probes get in however many connections
/// somebody holds.
class admin_guests {
 public:
  enum class state : std::uint8_t {
    silent,     ///< has never asked anything
    idle,       ///< has had its answer
    answering,  ///< has asked: its answer is made, or on its way
  };
  /// What a connection listens to.
  enum class stream : std::uint8_t { none, events, tap };

  struct guest {
    std::string peer;                ///< net::peer_key()
    std::function<void()> cut;       ///< closes its socket at once
    std::function<bool()> has_left;  ///< whether the peer has closed its side
    state now = state::silent;
    std::shared_ptr<const admin_reply> answer{};  ///< what it is being sent
    bool is_cut = false;
    stream listens = stream::none;
  };
  using handle = std::list<guest>::iterator;

  /// Room for so many connections.
  explicit admin_guests(std::size_t max_guests) noexcept : max_guests_(max_guests) {}

  /// One more; where there is no room another is cut.
  [[nodiscard]] handle add(
      std::string peer, std::function<void()> cut,
      std::function<bool()> has_left = [] { return false; });
  /// Cuts who would be missed least: of the peer with the most connections one that is silent,
  /// else idle, else being answered, and of these the one that has been so for the longest
  /// time. False where there is nobody.
  bool make_room();
  void remove(handle gone);  ///< it has ended, cut or not

  void asked(handle by) { by->now = state::answering; }
  /// `by` is sent `answer`, which others may be sent as well.
  void answer(handle by, std::shared_ptr<const admin_reply> answer);
  void answered(handle by);
  /// Cuts whoever has been sent an answer for the longest time and hasn't read all of it.
  void cut_slowest();

  /// `by` listens from now on, and takes no place of those who ask. Peers share the places of
  /// a stream: where all are taken, the newest listener of the peer with the most is cut for a
  /// peer that has at least two less. False where there is no place.
  [[nodiscard]] bool listen(handle by, stream to);
  static constexpr std::size_t max_listeners = 16;     ///< of all streams
  static constexpr std::size_t max_tap_listeners = 4;  ///< of these
  /// Cuts all who listen: who still may comes back.
  void dismiss_listeners();

  [[nodiscard]] std::size_t size() const noexcept { return guests_.size(); }

  /// How many had to go for others. Any thread may ask.
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
  std::list<guest> guests_;     ///< those who have been so for the longest time first
  std::list<guest> leaving_;    ///< cut, and not yet ended
  std::list<guest> listeners_;  ///< in the order in which they began
};

}  // namespace scattergate::telemetry
