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
#include "telemetry/admin/event_stream.hpp"
#include "telemetry/tap/live_tap.hpp"
#include "telemetry/tap/tap_filter.hpp"

namespace scattergate::telemetry {

/// The events of /api/v1/tap: takes ten times a second what workers have left, and hands to
/// each who listens what passes its filter. One who reads slowly misses what finds no room, and
/// is told how much. Nothing is done while nobody listens.
class tap_feed {
 public:
  static constexpr std::size_t most_bytes = 256UL * 1024;  ///< that wait for one who listens

  explicit tap_feed(boost::asio::io_context& context) : context_(context), next_(context) {}
  ~tap_feed();  ///< who still listens then hears no more
  tap_feed(const tap_feed&) = delete;
  tap_feed& operator=(const tap_feed&) = delete;

  /// What it tells of. Without it there is no such path. It must outlive this.
  void tell_of(live_tap& tap) noexcept { tap_ = &tap; }
  [[nodiscard]] bool is_there() const noexcept { return tap_ != nullptr && !has_ended_; }

  /// Why a request for `target` isn't let listen; nothing where it is.
  [[nodiscard]] std::optional<admin_reply> refuse(std::string_view target) const;

  /// One that listens, as long as it lives.
  class listener final : public event_source {
   public:
    /// REQUIRES: refuse(target) has nothing against it.
    listener(tap_feed& to, std::string_view target);
    ~listener() override;
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    [[nodiscard]] bool is_open() const noexcept override {
      return to_ != nullptr && to_->is_open();
    }
    [[nodiscard]] boost::asio::steady_timer* awaited() noexcept override {
      return has_news() ? nullptr : &awaited_;
    }
    /// Ends what awaited() waits for.
    void wake() { awaited_.cancel(); }
    /// What has come; a comment where nothing has.
    [[nodiscard]] std::shared_ptr<const std::string> next() override;

   private:
    friend tap_feed;

    [[nodiscard]] bool has_news() const noexcept {
      return !events_.empty() || beyond_rate_ != 0 || too_slow_ != 0;
    }
    void hand(const std::string& event);

    tap_feed* to_;  // null: it is gone, with the whole server
    tap_filter wanted_;
    boost::asio::steady_timer awaited_;
    std::string events_;
    std::uint64_t beyond_rate_ = 0;  // commands that nobody could be told of
    std::uint64_t too_slow_ = 0;     // and those that this one couldn't
    unsigned quiet_turns_ = 0;
  };

  void end();

 private:
  [[nodiscard]] bool is_open() const noexcept { return is_there() && tap_->is_allowed(); }
  void add(listener& one);
  void remove(listener& gone);
  void listen_anew();
  void await_turn();
  void take_turn();
  void hand_out();

  boost::asio::io_context& context_;
  boost::asio::steady_timer next_;
  live_tap* tap_ = nullptr;
  std::vector<listener*> listeners_;
  std::vector<tapped_command> taken_;
  std::uint64_t dropped_ = 0;  // of the tap, as told so far
  bool has_ended_ = false;
};

}  // namespace scattergate::telemetry
