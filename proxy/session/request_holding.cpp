// The part of request_side for requests that a throttle holds up.

#include <algorithm>
#include <utility>

#include "proxy/session/request_side.hpp"

namespace scattergate::proxy {

request_side::~request_side() {
  leave_queue(clock::time_point::min());  // whoever still is in it: nobody asks what time it is
}

step request_side::hold(const request_view& request, inspection inspected) {
  throttle& by = *inspected.held_by;
  switch (by.enter(place_, inspector_.waker(), request.now)) {
    case throttle::answer::let_on:
      return pass(request, inspector_.admit(request, std::move(inspected)));
    case throttle::answer::full:
      return pass(request,
                  inspector_.refuse(request, std::move(inspected), throttle_refusal::full));
    case throttle::answer::waits:
      break;
  }
  held_until_ = request.now + by.longest_wait();
  held_ = std::move(inspected);
  inspector_.metrics().throttle_waiting.add();
  return step::hold();
}

std::optional<clock::time_point> request_side::held_until(clock::time_point now) const {
  if (place_.is_let_on() || now >= held_until_) return std::nullopt;
  if (!place_.is_first()) return held_until_;
  const auto due = held_.held_by->next_look(now);
  if (place_.is_let_on()) return std::nullopt;
  return due ? std::min(*due, held_until_) : held_until_;
}

step request_side::on_held(std::span<const std::byte> unread, clock::time_point now) {
  auto held = std::exchange(held_, {});
  const auto header = *wire::parse_header(unread.first<wire::limits::header_bytes>());
  const auto length = static_cast<std::size_t>(header.length);
  const request_view request{header, unread.first(std::min(length, unread.size())), connection_,
                             now};
  inspector_.metrics().throttle_waiting.sub();
  if (held.held_by->leave(place_, now)) {
    return pass(request, inspector_.admit(request, std::move(held)));
  }
  return pass(request, inspector_.refuse(request, std::move(held), throttle_refusal::waited));
}

void request_side::leave_queue(clock::time_point now) noexcept {
  if (!is_held()) return;
  inspector_.metrics().throttle_waiting.sub();
  if (held_.held_by->leave(place_, now)) held_.held_by->release();
  held_.held_by.reset();
}

void request_side::end(clock::time_point now) {
  if (!is_held()) return;
  leave_queue(now);
  auto held = std::exchange(held_, {});
  held.pending->sent = now;
  inspector_.accounting().complete(*held.pending, {now, false, {}}, connection_);
  inspector_.accounting().give_back(std::move(held.pending));
}

}  // namespace scattergate::proxy
