// The second half of inspector: what is counted, and when.

#include "proxy/comment.hpp"
#include "proxy/hello_reply.hpp"
#include "proxy/inspector.hpp"
#include "routing/describe.hpp"
#include "routing/shape.hpp"
#include "telemetry/log.hpp"

namespace scattergate::proxy {
namespace {

telemetry::finding_action action_of(config::rule_action action) noexcept {
  switch (action) {
    case config::rule_action::accept:
      return telemetry::finding_action::accepted;
    case config::rule_action::reject:
      return telemetry::finding_action::rejected;
    case config::rule_action::observe:
      break;
  }
  return telemetry::finding_action::observed;
}

bool is_batch(routing::command_kind kind) noexcept {
  return kind == routing::command_kind::insert || kind == routing::command_kind::update ||
         kind == routing::command_kind::delete_ || kind == routing::command_kind::bulk_write;
}

/// Why a command is flagged: its lint where the class alone would not be.
routing::reason finding_reason(const routing::verdict& verdict) noexcept {
  const bool is_lint_alone =
      verdict.lint != routing::reason::none && !verdict.is_scatter_on_sharded();
  if (is_lint_alone) return verdict.lint;
  const bool is_doubted = verdict.may_touch_more && verdict.why == routing::reason::none;
  return is_doubted ? routing::reason::unreadable : verdict.why;
}

}  // namespace

void inspector::note_finding(const subject& what, const decision& decision,
                             pending_request& pending) {
  const routing::verdict& verdict = what.verdict;
  pending.is_finding = true;
  pending.action = action_of(decision.action);
  pending.finding_reason = finding_reason(verdict);
  if (decision.seen_by != nullptr) {
    pending.finding_ns = metrics_.known(verdict.database, verdict.collection)
                             .value_or(telemetry::other_namespace);
  }
  telemetry::finding_key key;
  key.database = verdict.database;
  key.collection = verdict.collection;
  key.command = verdict.command;
  key.shape_hash = routing::shape_hash(what.command, shape_memory_);
  key.why = pending.finding_reason;
  key.action = pending.action;
  if (decision.rule != nullptr) key.rule = decision.rule->name;
  comment_text comment;
  const auto caller = what.connection.client.as_caller(comment.read(what.command));
  if (findings_.contains(key)) {
    pending.ticket = findings_.begin(key, caller);
    return;
  }
  if (taps_ != nullptr && taps_->samples.wants_finding(verdict.command, pending.sent)) {
    taps_->samples.take(what.command, verdict, {true, what.is_abridged}, shape_memory_);
  }
  telemetry::finding_details details;
  details.database = verdict.database;
  details.collection = verdict.collection;
  details.rule = key.rule;
  details.command = verdict.command;
  details.shape_hash = key.shape_hash;
  details.routing = verdict.routing;
  details.bounds = verdict.bounds;
  details.why = key.why;
  details.action = key.action;
  if (decision.rule != nullptr) details.rule_why = why_of(*decision.rule);
  if (verdict.judged != nullptr)
    details.shard_key_json = routing::shard_key_json(*verdict.judged);
  details.missing = routing::missing_fields(verdict);
  details.lints = routing::lints(verdict);
  details.shape_json = routing::shape_json(what.command, shape_memory_);
  details.fanout_known = verdict.fanout.has_value();
  if (verdict.fanout) {
    details.fanout = routing::shard_names(*verdict.fanout, *settings_->catalog);
  }
  details.suggestion = routing::suggestion(verdict);
  pending.ticket = findings_.begin_new(std::move(details), caller);
}

void inspector::complete(pending_request& request, const completion& how,
                         const inspected_connection& connection) {
  if (request.is_counted) {
    count_command(request, how);
    request.is_counted = false;
  }
  if (request.claim) {
    connection.client.settle(*request.claim, how.was_answered ? &how.facts : nullptr);
    request.claim.reset();
  }
  if (!how.was_answered) return;
  if (request.may_change_catalog && how.facts.ok && settings_->notes) {
    settings_->notes->note_ddl();
  }
  if (!request.may_open_cursor || !how.facts.readable) return;
  if (request.cursor_id != 0 && how.facts.ok && how.facts.cursor_id == 0) {
    connection.cursors.forget(request.cursor_id);
  }
  if (request.cursor_id == 0 && how.facts.cursor_id != 0) {
    connection.cursors.remember(how.facts.cursor_id,
                                {request.routing, request.bounds, request.why});
  }
}

void inspector::count_command(pending_request& request, const completion& how) {
  const bool is_answered_well = how.was_answered && how.facts.ok;
  if (!request.ns) request.ns = admit(request.unlisted_name, is_answered_well);
  const auto ns = *request.ns;
  const auto duration = request.answered.value_or(how.at) - request.sent;
  metrics_.count_command(ns, request.command, request.routing);
  if (is_batch(request.command)) count_statements(request, is_answered_well);
  if (request.has_fanout) metrics_.observe_fanout(ns, request.fanout);
  if (how.was_answered && !request.is_rejected) {
    metrics_.observe_duration(request.command, request.routing, duration);
  }
  if (!request.is_finding) return;
  metrics_.count_finding(request.finding_ns.value_or(ns), request.command,
                         request.finding_reason, request.action);
  if (findings_.complete(request.ticket, duration)) flush_findings();
}

/// `name` is "database" NUL "collection".
telemetry::namespace_id inspector::admit(std::string_view name, bool is_answered_well) {
  if (!is_answered_well) return telemetry::other_namespace;
  const auto end = name.find('\0');
  return metrics_.admit(name.substr(0, end), name.substr(end + 1));
}

void inspector::count_statements(const pending_request& request, bool is_answered_well) {
  auto here = request.statements;
  for (const statements_elsewhere& other : request.elsewhere) {
    here[static_cast<std::size_t>(other.routing)] -= other.count;
    const auto name =
        std::string_view{request.names_elsewhere}.substr(other.name_at, other.name_size);
    metrics_.count_statements(other.ns ? *other.ns : admit(name, is_answered_well),
                              request.command, other.routing, other.count);
  }
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i] == 0) continue;
    metrics_.count_statements(*request.ns, request.command,
                              static_cast<routing::routing_class>(i), here[i]);
  }
}

void inspector::flush_findings() {
  auto deltas = findings_.take();
  if (!deltas.empty()) audit_.submit(std::move(deltas));
}

void inspector::look_at_hello_reply(const wire::message_header& header,
                                    std::span<const std::byte> message) {
  const auto set = replica_set_of(header, message);
  if (!set || facts_.replica_set_hellos.fetch_add(1) != 0) return;
  telemetry::log::write(telemetry::log::severity::warning, telemetry::log::component::proxy,
                        2003,
                        "The upstream is a replica set member, not a mongos: drivers will "
                        "connect to its members around this proxy unless they use "
                        "directConnection=true",
                        {{"setName", *set}});
}

}  // namespace scattergate::proxy
