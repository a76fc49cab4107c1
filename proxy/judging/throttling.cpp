#include "proxy/judging/throttling.hpp"

#include <utility>

namespace scattergate::proxy {

std::shared_ptr<throttle> throttling::throttle_of(const settings& current,
                                                  const config::rule& rule) noexcept {
  const auto place = static_cast<std::size_t>(&rule - current.rules.all().data());
  return place < current.throttles.size() ? current.throttles[place] : nullptr;
}

inspection throttling::hold(const std::shared_ptr<const settings>& current,
                            const config::rule& rule, std::shared_ptr<throttle> limiter,
                            std::unique_ptr<pending_request> pending, bool is_unanswered) {
  inspection made;
  if (spare_.empty()) {
    made.held = std::make_unique<held_request>();
  } else {
    made.held = std::move(spare_.back());
    spare_.pop_back();
  }
  made.held->pending = std::move(pending);
  made.held->by = std::move(limiter);
  made.held->rule = {current, &rule};  // keeps the settings alive, and the rule in them
  made.held->is_unanswered = is_unanswered;
  return made;
}

std::unique_ptr<pending_request> throttling::release(
    std::unique_ptr<held_request> held) noexcept {
  auto pending = std::move(held->pending);
  held->by.reset();
  held->rule.reset();
  if (spare_.size() < max_spare) spare_.push_back(std::move(held));
  return pending;
}

inspection throttling::admit(const request_view& request, std::unique_ptr<held_request> held) {
  const bool is_unanswered = held->is_unanswered;
  auto slot = throttle_slot{std::move(held->by)};
  auto pending = release(std::move(held));
  pending->slot = std::move(slot);
  // The time spent in the throttle's queue must not count as mongos's response time.
  pending->sent = request.now;
  if (!is_unanswered) return {disposition::forward, std::move(pending)};
  return accounting_.complete_unanswered(request, std::move(pending), disposition::forward);
}

inspection throttling::refuse(const request_view& request, std::unique_ptr<held_request> held,
                              throttle_refusal why) {
  const bool is_unanswered = held->is_unanswered;
  const auto rule = held->rule;
  auto pending = release(std::move(held));
  pending->sent = request.now;
  if (pending->rule) metrics_.count_rule_hit(*pending->rule, telemetry::rule_hit::refused);
  if (is_unanswered) {
    return accounting_.complete_unanswered(request, std::move(pending), disposition::drop);
  }
  pending->is_rejected = true;
  pending->rejection = refusal_of(request.header, pending->command, *rule, why, ids_.next());
  return {disposition::drop, std::move(pending)};
}

}  // namespace scattergate::proxy
