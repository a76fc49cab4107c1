// Implements the part of request_side that handles throttled requests.

#include <algorithm>
#include <utility>

#include "proxy/session/request_side.hpp"

namespace scattergate::proxy {

request_side::~request_side() {
  give_up_place(clock::time_point::min());  // the time doesn't matter: the connection is gone
}

/// Whether a reply to an earlier request is outstanding, or not completely sent. Until then
/// mongos wouldn't execute the current request anyway: it handles a connection's requests one
/// by one.
bool request_side::must_be_answered_before() const noexcept {
  if (has_unsent_replies_ || !replies_.is_between()) return true;
  const pending_request* each = pending_.first();
  while (each != nullptr && each->may_stay_unanswered) each = each->next.get();
  return each != nullptr;
}

/// Identifies the client for the throttle's fair queue: by its IPv4 address; by its IPv6
/// network (/64), because one client may own all of that (RFC 4291, section 2.5.4); on a Unix
/// socket by its user.
std::string_view request_side::client_key() const noexcept {
  if (const net::ip_address* const from = connection_.client.address()) {
    return net::network_bytes(*from);
  }
  return connection_.counted_as != nullptr ? std::string_view{*connection_.counted_as}
                                           : std::string_view{};
}

/// Enters the throttle's queue. Only a complete request that mongos would answer next may take
/// a slot: otherwise a client could occupy the slot indefinitely, by not sending the rest of
/// the request or not reading replies.
step request_side::enter_queue(const request_view& request) {
  if (must_be_answered_before()) return step::wait();
  const bool is_too_large = std::exchange(holding_refused_, false);
  if (!request.is_whole() && !is_too_large) {
    return step::need(static_cast<std::size_t>(request.header.length));
  }
  if (!request.is_whole() || !pending_.is_empty()) {
    return refuse_held(request, throttle_refusal::full);
  }
  throttle& by = *held_->by;
  switch (by.enter(held_->place, inspector_.throttling().waker(), request.now, client_key())) {
    case throttle::entry_result::admitted:
      return pass(request, inspector_.throttling().admit(request, std::move(held_)));
    case throttle::entry_result::full:
      return refuse_held(request, throttle_refusal::full);
    case throttle::entry_result::waits:
      break;
  }
  held_->is_in_queue = true;
  held_->until = request.now + by.longest_wait();
  inspector_.metrics().throttle_waiting.add();
  return step::hold();
}

step request_side::refuse_held(const request_view& request, throttle_refusal why) {
  return pass(request, inspector_.throttling().refuse(request, std::move(held_), why));
}

std::optional<clock::time_point> request_side::held_until(clock::time_point now) const {
  const throttle::place& place = held_->place;
  if (place.is_admitted() || place.is_displaced() || now >= held_->until) return std::nullopt;
  if (!place.is_first()) return held_->until;
  const auto due = held_->by->next_look(now);
  if (place.is_admitted()) return std::nullopt;
  return due ? std::min(*due, held_->until) : held_->until;
}

step request_side::on_held(std::span<const std::byte> unread, clock::time_point now) {
  const request_view request = view_of(unread, now);
  if (leave_queue(now)) {
    return pass(request, inspector_.throttling().admit(request, std::move(held_)));
  }
  return refuse_held(
      request, held_->place.is_displaced() ? throttle_refusal::full : throttle_refusal::waited);
}

/// Leaves the throttle's queue. Returns whether the throttle has admitted the request.
bool request_side::leave_queue(clock::time_point now) noexcept {
  held_->is_in_queue = false;
  inspector_.metrics().throttle_waiting.sub();
  return held_->by->leave(held_->place, now);
}

void request_side::give_up_place(clock::time_point now) noexcept {
  if (is_held() && leave_queue(now)) held_->by->release();
}

void request_side::end(clock::time_point now) {
  give_up_place(now);
  if (!held_) return;
  auto pending = inspector_.throttling().release(std::move(held_));
  pending->sent = now;
  inspector_.accounting().complete(*pending, {now, false, {}}, connection_);
  inspector_.accounting().give_back(std::move(pending));
}

}  // namespace scattergate::proxy
