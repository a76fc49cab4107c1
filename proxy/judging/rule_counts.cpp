#include "proxy/judging/rule_counts.hpp"

namespace scattergate::proxy {
namespace {

using config::rule_action;
using telemetry::finding_action;
using telemetry::rule_hit;

rule_hit hit_of(finding_action action) noexcept {
  switch (action) {
    case finding_action::accepted:
      return rule_hit::accepted;
    case finding_action::rejected:
      return rule_hit::rejected;
    case finding_action::throttled:
      return rule_hit::throttled;
    case finding_action::expired:
      return rule_hit::expired;
    case finding_action::would_reject:
      return rule_hit::would_reject;
    case finding_action::would_throttle:
      return rule_hit::would_throttle;
    case finding_action::observed:
      break;
  }
  return rule_hit::observed;
}

rule_hit would_be(rule_action action) noexcept {
  switch (action) {
    case rule_action::accept:
      return rule_hit::would_accept;
    case rule_action::throttle:
      return rule_hit::would_throttle;
    case rule_action::reject:
      return rule_hit::would_reject;
    case rule_action::observe:
      break;
  }
  return rule_hit::would_observe;
}

}  // namespace

finding_action action_of(const decision& made) noexcept {
  switch (made.action) {
    case rule_action::accept:
      return finding_action::accepted;
    case rule_action::throttle:
      return finding_action::throttled;
    case rule_action::reject:
      return finding_action::rejected;
    case rule_action::observe:
      break;
  }
  return made.has_expired ? finding_action::expired : finding_action::observed;
}

routing::cause finding_cause_of(const routing::verdict& verdict) noexcept {
  const routing::cause found = routing::cause_of(verdict);
  const bool is_doubted = verdict.may_touch_more && found == routing::reason::none;
  return is_doubted ? routing::reason::unreadable : found;
}

void count_rules(const pending_request& request, telemetry::namespace_id ns,
                 telemetry::worker_metrics& metrics) {
  if (request.is_finding && request.rule) {
    metrics.count_rule_hit(*request.rule, hit_of(request.action));
  }
  if (!request.dry_run) return;
  metrics.count_finding(ns, request.command, request.dry_run->why, request.dry_run->action);
}

void rule_counts::set_rules(const policy& rules) {
  rules_ = &rules;
  ids_.clear();
  for (const config::rule& rule : rules.all()) {
    ids_.push_back(metrics_.rules().admit(rule.name));
  }
  noted_for_.assign(ids_.size(), 0);
}

void rule_counts::note_dry_run(const config::rule& rule, const routing::verdict& seen) {
  const auto place = static_cast<std::size_t>(&rule - rules_->all().data());
  if (noted_for_[place] == command_) return;
  noted_for_[place] = command_;
  has_dry_runs_ = true;
  metrics_.count_rule_hit(ids_[place], would_be(rule.action));
  if (found_) return;
  if (rule.action == rule_action::reject) {
    found_ = {finding_action::would_reject, finding_cause_of(seen)};
  } else if (rule.action == rule_action::throttle) {
    found_ = {finding_action::would_throttle, finding_cause_of(seen)};
  }
}

}  // namespace scattergate::proxy
