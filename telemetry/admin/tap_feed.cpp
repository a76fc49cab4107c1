#include "telemetry/admin/tap_feed.hpp"

#include <utility>

#include "text/json_writer.hpp"

namespace scattergate::telemetry {
namespace {

constexpr std::chrono::milliseconds turn{100};
constexpr std::size_t per_turn = live_tap::per_second / 10;
constexpr unsigned longest_quiet = 50;  // turns without an event before a keep-alive comment

std::string dropped_event(std::uint64_t beyond_rate, std::uint64_t too_slow) {
  std::string text = "event: dropped\ndata: ";
  text::json_writer json{text};
  json.object();
  json.number("beyondRate", beyond_rate);
  json.number("tooSlow", too_slow);
  json.end();
  return text + "\n\n";
}

}  // namespace

std::optional<admin_reply> tap_feed::refuse(std::string_view target) const {
  if (!tap_->is_allowed()) {
    return admin_reply{.status = not_found, .body = "the tap is off (admin.tap)\n"};
  }
  if (const auto asked = tap_filter_of(target); !asked) {
    return admin_reply{.status = bad_request, .body = to_string(asked.error()) + "\n"};
  }
  return std::nullopt;
}

tap_feed::listener::listener(tap_feed& to, std::string_view target)
    : to_(&to),
      filter_(tap_filter_of(target).value()),
      awaited_(to.context_, boost::asio::steady_timer::time_point::max()) {
  to.add(*this);
}

tap_feed::listener::~listener() {
  if (to_ != nullptr) to_->remove(*this);
}

std::shared_ptr<const std::string> tap_feed::listener::next() {
  quiet_turns_ = 0;
  if (!has_pending()) return std::make_shared<const std::string>(": quiet\n\n");
  std::string text;
  if (beyond_rate_ != 0 || too_slow_ != 0) text = dropped_event(beyond_rate_, too_slow_);
  beyond_rate_ = 0;
  too_slow_ = 0;
  text += events_;
  events_.clear();
  return std::make_shared<const std::string>(std::move(text));
}

void tap_feed::listener::hand(const std::string& event) {
  if (events_.size() + event.size() > most_bytes) {
    ++too_slow_;
  } else {
    events_ += event;
  }
}

tap_feed::~tap_feed() {
  for (listener* each : listeners_) each->to_ = nullptr;
}

void tap_feed::add(listener& one) {
  listeners_.push_back(&one);
  try {
    if (listeners_.size() == 1) dropped_ = tap_->dropped();
    listen_again();
    if (listeners_.size() == 1) await_turn();
  } catch (...) {
    std::erase(listeners_, &one);  // the constructor fails, so its object won't exist
    throw;
  }
}

void tap_feed::remove(listener& gone) {
  std::erase(listeners_, &gone);
  listen_again();
}

void tap_feed::listen_again() {
  tap_interest interest;
  for (const listener* each : listeners_) interest = interest | each->filter_.interest();
  tap_->set_listeners(listeners_.size());
  if (!listeners_.empty() && !has_ended_) return tap_->listen(interest);
  next_.cancel();
  tap_->end();
  taken_ = {};
}

void tap_feed::await_turn() {
  next_.expires_after(turn);
  next_.async_wait([this](const boost::system::error_code& error) {
    if (!error) take_turn();
  });
}

void tap_feed::take_turn() {
  if (listeners_.empty()) return;
  await_turn();  // first, because the rest may throw bad_alloc
  if (is_open()) hand_out();
  for (listener* each : listeners_) {
    const bool is_due = ++each->quiet_turns_ >= longest_quiet;
    if (is_due || each->has_pending() || !is_open()) each->awaited_.cancel();
  }
}

/// Passes the workers' commands to the listeners. Formats each command once for all listeners,
/// and only if a filter accepts it.
void tap_feed::hand_out() {
  tap_->drain_into(taken_);
  tap_->grant(per_turn);
  const std::uint64_t dropped = tap_->dropped();
  for (listener* each : listeners_) each->beyond_rate_ += dropped - dropped_;
  dropped_ = dropped;
  const both_clocks now{std::chrono::steady_clock::now(), std::chrono::system_clock::now()};
  for (const tapped_command& one : taken_) {
    std::string event;
    for (listener* each : listeners_) {
      if (!each->filter_.accepts(one)) continue;
      if (event.empty()) event = "event: command\ndata: " + tapped_json(one, now) + "\n\n";
      each->hand(event);
    }
  }
  taken_.clear();  // releases the memory to which the commands refer
}

void tap_feed::end() {
  has_ended_ = true;
  next_.cancel();
  if (tap_ != nullptr) tap_->end();
  for (listener* each : listeners_) each->awaited_.cancel();
}

}  // namespace scattergate::telemetry
