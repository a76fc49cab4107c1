// The part of inspector for requests that wait until a throttle lets them on.

#include <utility>

#include "proxy/judging/inspector.hpp"

namespace scattergate::proxy {

std::shared_ptr<throttle> inspector::throttle_of(const config::rule& rule) const noexcept {
  const auto place = static_cast<std::size_t>(&rule - settings_->rules.all().data());
  if (waker_ == nullptr) return nullptr;
  return place < settings_->throttles.size() ? settings_->throttles[place] : nullptr;
}

inspection inspector::hold(const config::rule& rule, std::shared_ptr<throttle> by,
                           std::unique_ptr<pending_request> pending, bool is_unanswered) {
  inspection held{disposition::forward, std::move(pending)};
  held.held_by = std::move(by);
  held.rule = {settings_, &rule};  // a reload mustn't take it away
  held.is_unanswered = is_unanswered;
  return held;
}

inspection inspector::admit(const request_view& request, inspection held) {
  auto pending = std::move(held.pending);
  pending->slot = throttle_slot{std::move(held.held_by)};
  // What mongos took isn't to be blurred by what we did.
  pending->sent = request.now;
  if (!held.is_unanswered) return {disposition::forward, std::move(pending)};
  return complete_unanswered(request, std::move(pending), disposition::forward);
}

inspection inspector::refuse(const request_view& request, inspection held,
                             throttle_refusal why) {
  auto pending = std::move(held.pending);
  pending->sent = request.now;
  if (pending->rule) metrics_.count_rule_hit(*pending->rule, telemetry::rule_hit::refused);
  if (held.is_unanswered) {
    return complete_unanswered(request, std::move(pending), disposition::drop);
  }
  pending->is_rejected = true;
  pending->rejection =
      refusal_of(request.header, pending->command, *held.rule, why, next_reply_id_++);
  return {disposition::drop, std::move(pending)};
}

}  // namespace scattergate::proxy
