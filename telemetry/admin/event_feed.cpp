#include "telemetry/admin/event_feed.hpp"

#include <chrono>

namespace scattergate::telemetry {
namespace {

using clock = boost::asio::steady_timer::clock_type;

constexpr std::chrono::seconds interval{1};
constexpr std::chrono::milliseconds check_interval{100};  // for conditions

}  // namespace

void event_feed::begin() {
  if (!is_open()) return;
  await_check();
  make_now();
}

void event_feed::await_check() {
  next_.expires_after(check_interval);
  next_.async_wait([this](const boost::system::error_code& error) {
    if (!error) check_for_changes();
  });
}

void event_feed::check_for_changes() {
  if (listeners_ == 0 || !is_open()) return;
  await_check();  // first, because the rest may throw bad_alloc
  const auto start = clock::now();
  if (start < rests_until_ || (start < due_ && shown_->turns() == turns_)) return;
  make_now();
}

/// Makes an event and wakes the listeners. Then makes no other event for as long as this one
/// took.
void event_feed::make_now() {
  const auto start = clock::now();
  due_ = start + interval;
  turns_ = shown_->turns();
  event_ = std::make_shared<const std::string>(
      "event: now\ndata: " + shown_->changes_since(sent_) + "\n\n");
  const auto end = clock::now();
  rests_until_ = end + (end - start);
  made_.cancel();
}

void event_feed::end() {
  has_ended_ = true;
  event_ = std::make_shared<const std::string>();
  next_.cancel();
  made_.cancel();
}

}  // namespace scattergate::telemetry
