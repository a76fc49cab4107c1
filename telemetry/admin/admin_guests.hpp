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

/// The connections of the admin address, and which of them has to go where there is no room for
/// one more: whoever comes anew is served, so that nobody can keep probes away by holding on to
/// what there is.
class admin_guests {
 public:
  enum class state : std::uint8_t {
    silent,     ///< has never asked anything
    idle,       ///< has had its answer
    answering,  ///< has asked: its answer is made, or on its way
  };

  struct guest {
    std::string peer;           ///< see peer_key()
    std::function<void()> cut;  ///< closes its socket at once
    state now = state::silent;
    std::shared_ptr<const admin_reply> answer;  ///< what it is being sent
    bool is_cut = false;
    bool listens = false;
  };
  using handle = std::list<guest>::iterator;

  /// Room for so many connections, and for so many bytes of answers beside the newest one.
  admin_guests(std::size_t max_guests, std::size_t max_answer_bytes) noexcept
      : max_guests_(max_guests), max_answer_bytes_(max_answer_bytes) {}

  /// One more; where there is no room another is cut.
  [[nodiscard]] handle add(std::string peer, std::function<void()> cut);
  /// Cuts who would be missed least: of the peer with the most connections one that is silent,
  /// else idle, else being answered, and of these the one that has been so for the longest
  /// time. False where there is nobody.
  bool make_room();
  void remove(handle gone);  ///< it has ended, cut or not

  void asked(handle by) { by->now = state::answering; }
  /// `by` is sent `answer`, which others may be sent as well. Those who still hold the oldest
  /// of too many bytes are cut: they read more slowly than others ask.
  void answer(handle by, std::shared_ptr<const admin_reply> answer);
  void answered(handle by);

  /// `by` listens to events from now on, and takes no place of those who ask. False where as
  /// many do as may.
  [[nodiscard]] bool listen(handle by);
  static constexpr std::size_t max_listeners = 16;
  /// Cuts all who listen: who still may comes back.
  void dismiss_listeners();

  [[nodiscard]] std::size_t size() const noexcept { return guests_.size(); }

  /// How many had to go for others. Any thread may ask.
  [[nodiscard]] std::uint64_t cut_count() const noexcept { return cuts_; }

 private:
  void cut(handle who);
  [[nodiscard]] std::size_t connections_of(const std::string& peer) const;
  [[nodiscard]] std::size_t bytes_beside(const admin_reply* newest) const;

  std::atomic<std::uint64_t> cuts_{0};
  std::size_t max_guests_;
  std::size_t max_answer_bytes_;
  std::list<guest> guests_;   ///< those who have been so for the longest time first
  std::list<guest> leaving_;  ///< cut, and not yet ended
  std::list<guest> listeners_;
};

}  // namespace scattergate::telemetry
