// The part of inspector that knows what to do with messages that can't be read.

#include "proxy/judging/expected_replies.hpp"
#include "proxy/judging/inspector.hpp"
#include "proxy/judging/rejection.hpp"
#include "wire/legacy.hpp"

namespace scattergate::proxy {
namespace {

/// Whether it is up to a sender to have a message that mongos reads not read by us. That mustn't
/// be a way around a rule.
bool is_senders_choice(wire::wire_errc error) noexcept {
  return error == wire::wire_errc::too_many_nodes || error == wire::wire_errc::too_deep ||
         error == wire::wire_errc::duplicate_field ||
         error == wire::wire_errc::compression_ratio;
}

}  // namespace

/// The rule that rejects a message which can't be read; null where it may pass.
const config::rule* inspector::rule_for_unread(const request_view& request,
                                               wire::wire_errc error) const {
  const policy& rules = settings_->rules;
  const client_identity& client = request.connection.client;
  if (settings_->reject_uninspected || is_senders_choice(error)) {
    return rules.reject_rule_for_unread(client.app(), client.user());
  }
  if (error != wire::wire_errc::legacy_opcode || !wire::names_namespace(request.header.op)) {
    return nullptr;
  }
  const auto name_space = wire::legacy_namespace(request.bytes);
  return name_space ? rules.reject_rule_on(*name_space, client.app(), client.user())
                    : rules.reject_rule_for_unread(client.app(), client.user());
}

inspection inspector::pass_unread(const request_view& request, wire::wire_errc error) {
  metrics_.count_uninspected(error);
  const expected_replies replies = expect_replies(request);
  const config::rule* const rule = rule_for_unread(request, error);
  // None that mongos still takes can authenticate.
  const bool may_claim = rule == nullptr && error != wire::wire_errc::legacy_opcode;
  auto claim = may_claim ? request.connection.client.claim_unread() : nullptr;
  if (rule == nullptr && !replies.is_answered) return {};
  auto pending = accounting_.take();
  pending->awaits = request.header.request_id;
  if (rule == nullptr) {
    pending->may_stay_unanswered = replies.is_uncertain;
    pending->may_stream = replies.may_stream;
    pending->claim = std::move(claim);
    return {disposition::forward, std::move(pending)};
  }
  reject_unread(*rule, request.now, *pending);
  if (!replies.is_answered) {
    return complete_unanswered(request, std::move(pending), disposition::drop);
  }
  pending->is_rejected = true;
  pending->rejection = rejection_of_unread(request.header, error, *rule, next_reply_id_++);
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
void inspector::reject_unread(const config::rule& rule, clock::time_point now,
                              pending_request& pending) {
  pending.sent = now;
  pending.is_counted = true;
  pending.command = routing::command_kind::other;
  pending.routing = routing::routing_class::unknown;
  pending.why = routing::reason::unreadable;
  pending.ns = telemetry::other_namespace;
  metrics_.begin(*pending.ns);
  pending.is_finding = true;
  pending.action = telemetry::finding_action::rejected;
  pending.finding_reason = pending.why;
  telemetry::finding_key key;
  key.command = pending.command;
  key.why = pending.why;
  key.action = pending.action;
  key.rule = rule.name;
  if (const auto known = findings_.begin(key)) {
    pending.ticket = *known;
    return;
  }
  auto details = std::make_unique<telemetry::finding_details>();
  details->rule = rule.name;
  details->command = key.command;
  details->routing = pending.routing;
  details->why = key.why;
  details->action = key.action;
  details->rule_why = why_of(rule);
  pending.fresh = std::move(details);
}

}  // namespace scattergate::proxy
