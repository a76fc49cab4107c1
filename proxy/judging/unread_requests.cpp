#include "proxy/judging/unread_requests.hpp"

#include <array>
#include <cstdint>
#include <string>

#include "proxy/judging/request_view.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_writer.hpp"
#include "wire/compressed.hpp"
#include "wire/op_query.hpp"

namespace scattergate::proxy {
namespace {

/// The shape of an unreadable message: {"unreadable":CAUSE}, with the cause as in
/// scattergate_uninspected_messages_total.
struct unread_shape {
  std::string text;
  std::uint64_t hash = 0;
};

const unread_shape& shape_of(wire::wire_errc error) {
  static const auto shapes = [] {
    std::array<unread_shape, wire::wire_errc_count> all;
    for (std::size_t i = 0; i != all.size(); ++i) {
      text::json_writer json{all[i].text};
      json.object();
      json.text("unreadable", wire::label(static_cast<wire::wire_errc>(i)));
      json.end();
      all[i].hash =
          routing::shape_hash({}, routing::name_of(routing::command_kind::other), all[i].text);
    }
    return all;
  }();
  return shapes[static_cast<std::size_t>(error)];
}

}  // namespace

/// The rules for an unreadable message. Every rule that could match counts as a match, because
/// mongos may be able to read the message. There are two exceptions. A message for which
/// limits.memory has no room follows the option on_uninspected, so that a lack of memory
/// rejects no well-behaved client. OP_KILL_CURSORS touches no collection, so no rule matches
/// it.
strict_rules unread_requests::rules_for(const settings& current, const request_view& request,
                                        wire::wire_errc error) const {
  if (error == wire::wire_errc::too_large && !current.reject_uninspected) return {};
  std::optional<std::string_view> name_space;
  if (error == wire::wire_errc::legacy_opcode) {
    if (!wire::names_namespace(request.header.op)) return {};
    name_space = wire::legacy_namespace(request.bytes);
  }
  return current.rules.for_unread(rules_.sender_of(request),
                                  name_space ? &*name_space : nullptr);
}

inspection unread_requests::decide(const std::shared_ptr<const settings>& current,
                                   const request_view& request, wire::wire_errc error,
                                   bool may_be_login) {
  metrics_.count_uninspected(error);
  const expected_replies replies = expect_replies(request);
  const bool is_forbidden = must_not_pass(request, error);
  strict_rules rules = rules_for(*current, request, error);
  if (is_forbidden) rules.decides = nullptr;
  const config::rule* const rule = rules.decides;
  const auto held_by = rule != nullptr && rule->action == config::rule_action::throttle
                           ? throttling::throttle_of(*current, *rule)
                           : nullptr;
  const bool is_rejected =
      is_forbidden || (rule != nullptr && rule->action == config::rule_action::reject);
  auto claim =
      may_be_login && !is_rejected ? request.connection.client.claim_unread() : nullptr;
  if (rule != nullptr && error == wire::wire_errc::unknown_section) {
    refused_section_ = {std::string{request.connection.client.as_caller({}).remote},
                        rule->name};
  }
  auto pending = accounting_.new_request();
  pending->expected_response_to = request.header.request_id;
  note(error, rules,
       is_forbidden ? telemetry::finding_action::rejected : telemetry::finding_action::observed,
       request.now, *pending);
  if (is_rejected) return reject(request, error, rule, std::move(pending));
  pending->may_stay_unanswered = replies.is_uncertain;
  pending->may_stream = replies.may_stream;
  pending->claim = std::move(claim);
  if (held_by != nullptr) {
    return throttling_.hold(current, *rule, held_by, std::move(pending), !replies.is_answered);
  }
  if (!replies.is_answered) {
    return accounting_.complete_unanswered(request, std::move(pending), disposition::forward);
  }
  return {disposition::forward, std::move(pending)};
}

inspection unread_requests::reject(const request_view& request, wire::wire_errc error,
                                   const config::rule* rule,
                                   std::unique_ptr<pending_request> pending) {
  if (!expect_replies(request).is_answered) {
    return accounting_.complete_unanswered(request, std::move(pending), disposition::drop);
  }
  wire::message_header header = request.header;
  header.op = wire::original_opcode(header, request.bytes);
  pending->is_rejected = true;
  pending->rejection = rejection_of_unread(header, error, rule, ids_.next());
  return {disposition::drop, std::move(pending)};
}

bool unread_requests::must_not_pass(const request_view& request,
                                    wire::wire_errc error) noexcept {
  if (error == wire::wire_errc::hidden_arguments) return true;
  if (wire::original_opcode(request.header, request.bytes) != wire::opcode::query) return false;
  return request.header.op == wire::opcode::compressed || error == wire::wire_errc::too_large;
}

inspection unread_requests::refuse(const request_view& request, wire::wire_errc error) {
  metrics_.count_uninspected(error);
  auto pending = accounting_.new_request();
  pending->expected_response_to = request.header.request_id;
  pending->sent = request.now;
  return reject(request, error, nullptr, std::move(pending));
}

inspection unread_requests::relay(const request_view& request) {
  const expected_replies replies = expect_replies(request);
  if (!replies.is_answered) return {};
  auto pending = accounting_.new_request();
  pending->expected_response_to = request.header.request_id;
  pending->sent = request.now;
  pending->is_unread = true;
  pending->may_stay_unanswered = replies.is_uncertain;
  pending->may_stream = replies.may_stream;
  return {disposition::forward, std::move(pending)};
}

/// Records an unreadable message in `pending`, as a finding of the command `other` in the
/// namespace `__other__`. `otherwise`: the action if no rule decides.
void unread_requests::note(wire::wire_errc error, const strict_rules& rules,
                           telemetry::finding_action otherwise, clock::time_point now,
                           pending_request& pending) {
  const config::rule* const rule = rules.decides;
  pending.sent = now;
  pending.must_be_counted = true;
  pending.is_unreadable = true;
  pending.command = routing::command_kind::other;
  pending.routing = pending.digest_destination.routing = routing::routing_class::unknown;
  pending.why = routing::reason::unreadable;
  pending.ns = telemetry::other_namespace;
  metrics_.begin(*pending.ns);
  pending.is_finding = true;
  pending.finding_reason = pending.why;
  pending.action = otherwise;
  rule_counts& counts = rules_.counts();
  counts.begin();
  if (rule != nullptr) {
    pending.action = action_of({true, rule->action, rule, false, nullptr});
    pending.rule = counts.id_of(*rule);
  } else if (rules.dry_run != nullptr) {
    routing::verdict unread;
    unread.why = pending.why;
    counts.note_dry_run(*rules.dry_run, unread);
    pending.dry_run = counts.found();
  }
  note_shape(error, rule, pending);
}

/// Records the message's shape in `pending`. There is one shape per error.
void unread_requests::note_shape(wire::wire_errc error, const config::rule* rule,
                                 pending_request& pending) {
  const unread_shape& shape = shape_of(error);
  pending.shape_hash = shape.hash;
  telemetry::shape_key key;
  key.command = pending.command;
  key.shape_hash = pending.shape_hash;
  key.why = pending.why;
  key.action = pending.action;
  if (rule != nullptr) key.rule = rule->name;
  if (const auto known = shapes_.begin(key)) {
    pending.ticket = *known;
    return;
  }
  auto details = std::make_unique<telemetry::shape_details>();
  details->command = key.command;
  details->shape_hash = key.shape_hash;
  details->what.shape_json = shape.text;
  details->what.routing = pending.routing;
  details->what.why = key.why;
  details->action = key.action;
  if (rule != nullptr) {
    details->rule = rule->name;
    details->rule_why = why_of(*rule);
  }
  pending.fresh = std::move(details);
}

}  // namespace scattergate::proxy
