#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "telemetry/admin/api.hpp"
#include "telemetry/admin/event_stream.hpp"

namespace scattergate::telemetry {

/// Makes the events of /api/v1/events: one per second, and one soon after a condition (a
/// problem of the daemon) begins or ends. All listeners get the same events. Makes no events
/// while there is no listener. Thread-safety: the thread of `context`.
class event_feed {
 public:
  explicit event_feed(boost::asio::io_context& context)
      : next_(context), made_(context, boost::asio::steady_timer::time_point::max()) {}

  /// Sets the source of the events. `shown` must outlive this object.
  void show(const api& shown) noexcept { shown_ = &shown; }

  /// Whether the feed has a source and hasn't ended.
  [[nodiscard]] bool is_open() const noexcept { return shown_ != nullptr && !has_ended_; }

  /// One connection that listens to the feed. Registered with the feed from construction to
  /// destruction; the feed must outlive it.
  class listener final : public event_source {
   public:
    explicit listener(event_feed& to) : to_(to) {
      if (to_.listeners_ == 0) to_.begin();
      ++to_.listeners_;
    }
    ~listener() override { --to_.listeners_; }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    [[nodiscard]] bool is_open() const noexcept override { return to_.is_open(); }
    [[nodiscard]] boost::asio::steady_timer* awaited() noexcept override { return &to_.made_; }
    /// The latest event, ready to send; empty before the first event and after end().
    [[nodiscard]] std::shared_ptr<const std::string> next() override { return to_.event_; }

   private:
    event_feed& to_;
  };

  /// Ends the feed, and with it the event streams of all listeners.
  void end();

 private:
  void begin();
  void await_check();
  void check_for_changes();
  void make_now();

  const api* shown_ = nullptr;
  boost::asio::steady_timer next_;
  boost::asio::steady_timer made_;  // cancelled on each new event and at the end
  std::shared_ptr<const std::string> event_ = std::make_shared<const std::string>();
  api::seen sent_;
  boost::asio::steady_timer::time_point due_{};          ///< when the next regular event is due
  boost::asio::steady_timer::time_point rests_until_{};  ///< no event is made before this
                                                         ///< time, to limit the CPU time
  std::uint64_t turns_ = 0;                              ///< api::turns() at the last event
  std::size_t listeners_ = 0;
  bool has_ended_ = false;
};

}  // namespace scattergate::telemetry
