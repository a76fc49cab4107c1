// The part of inspector that knows what to do with messages that can't be read.

#include "proxy/judging/expected_replies.hpp"
#include "proxy/judging/inspector.hpp"
#include "proxy/judging/rejection.hpp"
#include "wire/legacy.hpp"

namespace scattergate::proxy {
namespace {

/// Whether it is up to a sender to have a message that mongos reads not read by us. That
/// mustn't be a way around a rule.
bool is_senders_choice(wire::wire_errc error) noexcept {
  return error == wire::wire_errc::too_many_nodes || error == wire::wire_errc::too_deep ||
         error == wire::wire_errc::duplicate_field ||
         error == wire::wire_errc::compression_ratio;
}

}  // namespace

/// The rule that rejects or throttles a message which can't be read; null where it may pass.
const config::rule* inspector::rule_for_unread(const request_view& request,
                                               wire::wire_errc error) const {
  const policy& rules = settings_->rules;
  const sender from = sender_of(request);
  if (settings_->reject_uninspected || is_senders_choice(error)) {
    return rules.strict_rule_for_unread(from);
  }
  if (error != wire::wire_errc::legacy_opcode || !wire::names_namespace(request.header.op)) {
    return nullptr;
  }
  const auto name_space = wire::legacy_namespace(request.bytes);
  return name_space ? rules.strict_rule_on(*name_space, from)
                    : rules.strict_rule_for_unread(from);
}

inspection inspector::pass_unread(const request_view& request, wire::wire_errc error) {
  metrics_.count_uninspected(error);
  const expected_replies replies = expect_replies(request);
  const config::rule* const rule = rule_for_unread(request, error);
  const auto held_by = rule != nullptr && rule->action == config::rule_action::throttle
                           ? throttle_of(*rule)
                           : nullptr;
  const bool is_rejected = rule != nullptr && rule->action == config::rule_action::reject;
  // None that mongos still takes can authenticate.
  const bool may_claim = !is_rejected && error != wire::wire_errc::legacy_opcode;
  auto claim = may_claim ? request.connection.client.claim_unread() : nullptr;
  if (rule == nullptr && !replies.is_answered) return {};
  auto pending = accounting_.take();
  pending->awaits = request.header.request_id;
  if (rule != nullptr) note_unread(*rule, request.now, *pending);
  if (is_rejected) return reject_unread(request, error, *rule, std::move(pending));
  pending->may_stay_unanswered = replies.is_uncertain;
  pending->may_stream = replies.may_stream;
  pending->claim = std::move(claim);
  if (held_by != nullptr) {
    return hold(*rule, held_by, std::move(pending), !replies.is_answered);
  }
  if (!replies.is_answered) {
    return complete_unanswered(request, std::move(pending), disposition::forward);
  }
  return {disposition::forward, std::move(pending)};
}

inspection inspector::reject_unread(const request_view& request, wire::wire_errc error,
                                    const config::rule& rule,
                                    std::unique_ptr<pending_request> pending) {
  if (!expect_replies(request).is_answered) {
    return complete_unanswered(request, std::move(pending), disposition::drop);
  }
  pending->is_rejected = true;
  pending->rejection = rejection_of_unread(request.header, error, rule, next_reply_id_++);
  return {disposition::drop, std::move(pending)};
}

inspection inspector::relay(const request_view& request) {
  const expected_replies replies = expect_replies(request);
  if (!replies.is_answered) return {};
  auto pending = accounting_.take();
  pending->awaits = request.header.request_id;
  pending->is_unread = true;
  pending->may_stay_unanswered = replies.is_uncertain;
  pending->may_stream = replies.may_stream;
  return {disposition::forward, std::move(pending)};
}

/// Makes it a command of a name, namespace and shape that nobody knows.
void inspector::note_unread(const config::rule& rule, clock::time_point now,
                            pending_request& pending) {
  pending.sent = now;
  pending.is_counted = true;
  pending.command = routing::command_kind::other;
  pending.routing = pending.went.routing = routing::routing_class::unknown;
  pending.why = routing::reason::unreadable;
  pending.ns = telemetry::other_namespace;
  metrics_.begin(*pending.ns);
  pending.is_finding = true;
  pending.action = action_of({true, rule.action, &rule, false, nullptr});
  pending.finding_reason = pending.why;
  pending.rule = rule_counts_.id_of(rule);
  telemetry::shape_key key;
  key.command = pending.command;
  key.why = pending.why;
  key.action = pending.action;
  key.rule = rule.name;
  if (const auto known = shapes_.begin(key)) {
    pending.ticket = *known;
    return;
  }
  auto details = std::make_unique<telemetry::shape_details>();
  details->rule = rule.name;
  details->command = key.command;
  details->what.routing = pending.routing;
  details->what.why = key.why;
  details->action = key.action;
  details->rule_why = why_of(rule);
  pending.fresh = std::move(details);
}

}  // namespace scattergate::proxy
