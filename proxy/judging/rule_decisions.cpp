#include "proxy/judging/rule_decisions.hpp"

#include <utility>

#include "wire/bson.hpp"

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

/// Whether the command is an explain that runs nothing: it only asks for the plan. MongoDB
/// accepts it for a rejected query, too (mongo: query_settings).
bool only_plans(const wire::command& command, routing::command_kind kind) {
  if (kind != routing::command_kind::explain) return false;
  const auto verbosity = wire::find_field(command.body, "verbosity");
  return verbosity && verbosity->is_string() && verbosity->as_string() == "queryPlanner";
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

bool rule_decisions::set_day(text::day today, const policy& rules) {
  return rules.differs_between(std::exchange(today_, today), today);
}

sender rule_decisions::sender_of(const request_view& request) const noexcept {
  const client_identity& client = request.connection.client;
  return {client.app(), client.user(), client.address(), today_, client.may_be_any_user()};
}

decision rule_decisions::decide(const judged_subject& what, routing::scratch& memory) {
  const policy& rules = what.in->rules;
  const judged_command command{what.verdict, sender_of(what.request), what.comment};
  const auto note_dry_run = [&](const config::rule& rule, const routing::touch* touched) {
    counts_.note_dry_run(rule, touched ? what.verdict.verdict_in(*touched) : what.verdict);
  };
  counts_.begin();
  const bool may_be_unjudged = what.verdict.routing == routing::routing_class::unknown ||
                               what.verdict.may_touch_more || !what.verdict.touches.empty();
  if (may_be_unjudged) {
    const strict_rules strict = rules.for_unjudged(command);
    if (const config::rule* rule = strict.decides) {
      return {true, rule->action, rule, false, nullptr};
    }
    if (strict.dry_run != nullptr) note_dry_run(*strict.dry_run, nullptr);
  }
  const auto hash_shape = [&] { return what.shape_by(memory).hash; };
  const auto hash_query_shape = [&] { return what.query_shape_hash(); };
  decision made = rules.decide(command, hash_shape, hash_query_shape, note_dry_run);
  if (made.action == config::rule_action::reject &&
      only_plans(what.command, what.verdict.command)) {
    made.action = config::rule_action::observe;
  }
  return made;
}

}  // namespace scattergate::proxy
