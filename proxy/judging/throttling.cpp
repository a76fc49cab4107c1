#include "proxy/judging/throttling.hpp"

#include <utility>

namespace scattergate::proxy {

std::shared_ptr<throttle> throttling::throttle_of(const settings& in,
                                                  const config::rule& rule) noexcept {
  const auto place = static_cast<std::size_t>(&rule - in.rules.all().data());
  return place < in.throttles.size() ? in.throttles[place] : nullptr;
}

inspection throttling::hold(const std::shared_ptr<const settings>& in, const config::rule& rule,
                            std::shared_ptr<throttle> by,
                            std::unique_ptr<pending_request> pending, bool is_unanswered) {
  inspection held{disposition::forward, std::move(pending)};
  held.held_by = std::move(by);
  held.rule = {in, &rule};  // a reload mustn't take it away
  held.is_unanswered = is_unanswered;
  return held;
}

inspection throttling::admit(const request_view& request, inspection held) {
  auto pending = std::move(held.pending);
  pending->slot = throttle_slot{std::move(held.held_by)};
  // What mongos took isn't to be blurred by what we did.
  pending->sent = request.now;
  if (!held.is_unanswered) return {disposition::forward, std::move(pending)};
  return accounting_.complete_unanswered(request, std::move(pending), disposition::forward);
}

inspection throttling::refuse(const request_view& request, inspection held,
                              throttle_refusal why) {
  auto pending = std::move(held.pending);
  pending->sent = request.now;
  if (pending->rule) metrics_.count_rule_hit(*pending->rule, telemetry::rule_hit::refused);
  if (held.is_unanswered) {
    return accounting_.complete_unanswered(request, std::move(pending), disposition::drop);
  }
  pending->is_rejected = true;
  pending->rejection =
      refusal_of(request.header, pending->command, *held.rule, why, ids_.next());
  return {disposition::drop, std::move(pending)};
}

}  // namespace scattergate::proxy
