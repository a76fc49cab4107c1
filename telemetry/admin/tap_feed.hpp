#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "telemetry/admin/admin_pages.hpp"
#include "telemetry/admin/http_exchange.hpp"
#include "telemetry/tap/live_tap.hpp"

namespace scattergate::telemetry {

/// Makes the events of /api/v1/tap, a live stream of commands. Ten times per second, takes the
/// workers' commands from the live_tap (a buffer) and passes each command to the listeners
/// whose filter accepts it. A listener that reads too slowly misses commands, and an event
/// reports their number. Does nothing without a listener. Thread-safety: the thread of
/// `context`.
class tap_feed {
 public:
  static constexpr std::size_t most_bytes = 256UL * 1024;  ///< maximum size of the events that
                                                           ///< wait for one listener

  explicit tap_feed(boost::asio::io_context& context) : context_(context), next_(context) {}
  ~tap_feed();  ///< ends the event streams of remaining listeners
  tap_feed(const tap_feed&) = delete;
  tap_feed& operator=(const tap_feed&) = delete;

  /// Sets the source of the commands. `tap` must outlive this object. Without a source,
  /// /api/v1/tap is an unknown path.
  void set_source(live_tap& tap) noexcept { tap_ = &tap; }
  /// Whether /api/v1/tap exists: there is a source, and the feed hasn't ended.
  [[nodiscard]] bool is_there() const noexcept { return tap_ != nullptr && !has_ended_; }

  /// The reply that refuses a request to listen: 404 if the tap is off (admin.tap), 400 for an
  /// invalid filter. std::nullopt if the request is granted. `target`: the request's target,
  /// whose query is the filter. REQUIRES: there is a source.
  [[nodiscard]] std::optional<admin_reply> refuse(std::string_view target) const;

  /// One connection that listens to the tap. Registered with the feed from construction to
  /// destruction.
  class listener final : public event_source {
   public:
    /// `target`: the request's target, whose query is the filter. REQUIRES: refuse(target)
    /// returns std::nullopt.
    listener(tap_feed& to, std::string_view target);
    ~listener() override;
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    [[nodiscard]] bool is_open() const noexcept override {
      return to_ != nullptr && to_->is_open();
    }
    [[nodiscard]] boost::asio::steady_timer* awaited() noexcept override {
      return has_pending() ? nullptr : &awaited_;
    }
    /// Ends the wait on awaited().
    void wake() { awaited_.cancel(); }
    /// Returns the pending events and removes them; if there are none, a comment that keeps the
    /// connection alive.
    [[nodiscard]] std::shared_ptr<const std::string> next() override;

   private:
    friend tap_feed;

    [[nodiscard]] bool has_pending() const noexcept {
      return !events_.empty() || beyond_rate_ != 0 || too_slow_ != 0;
    }
    void hand(const std::string& event);

    tap_feed* to_;  // null: the feed is gone
    tap_filter filter_;
    boost::asio::steady_timer awaited_;
    std::string events_;
    std::uint64_t beyond_rate_ = 0;  // commands dropped by the tap's rate limit
    std::uint64_t too_slow_ = 0;     // commands dropped because this listener reads too slowly
    unsigned quiet_turns_ = 0;       // turns since the last event or keep-alive
  };

  /// Ends the feed, and with it the event streams of all listeners.
  void end();

 private:
  [[nodiscard]] bool is_open() const noexcept { return is_there() && tap_->is_allowed(); }
  void add(listener& one);
  void remove(listener& gone);
  void listen_again();
  void await_turn();
  void take_turn();
  void hand_out();

  boost::asio::io_context& context_;
  boost::asio::steady_timer next_;
  live_tap* tap_ = nullptr;
  std::vector<listener*> listeners_;
  std::vector<tapped_command> taken_;
  std::uint64_t dropped_ = 0;  // live_tap::dropped() at the last event
  bool has_ended_ = false;
};

}  // namespace scattergate::telemetry
