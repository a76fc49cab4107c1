#include "proxy/judging/inspector.hpp"

#include <optional>

#include "proxy/judging/comment.hpp"
#include "proxy/judging/cursor_commands.hpp"
#include "proxy/judging/hello_reply.hpp"
#include "proxy/judging/rejection.hpp"
#include "proxy/judging/trace.hpp"
#include "routing/classify.hpp"
#include "telemetry/log/log.hpp"
#include "text/days.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {
namespace {

/// Whether mongos answers well only to whom it lets work on the collection.
bool is_on_collection(const routing::verdict& verdict) noexcept {
  using enum routing::command_family;
  const routing::command_family family = routing::family_of(verdict.command);
  return !verdict.collection.empty() && (family == routed || family == by_nature);
}

}  // namespace

inspector::inspector(telemetry::worker_metrics& metrics, telemetry::shape_table& shapes,
                     telemetry::account& account, telemetry::daemon_facts& facts)
    : metrics_(metrics),
      shapes_(shapes),
      facts_(facts),
      accounting_(metrics, shapes, account),
      settings_(std::make_shared<const settings>()),
      rule_counts_(metrics) {
  rule_counts_.use(settings_->rules);
}

inspector::~inspector() = default;

inspection inspector::inspect(const request_view& request) {
  if (!is_on()) return {};
  timer_.start();
  if (request.header.op != wire::opcode::compressed) {
    return inspect_message(request, request.bytes.size());
  }
  const auto unpacked = unpack(request);
  if (!unpacked) {
    if (request.connection.guards_x509) {
      if (auto refused = guard_packed(unpacked.error())) return std::move(*refused);
    }
    return pass_unread(request, unpacked.error());
  }
  const request_view inner = request.as(*unpacked);
  if (request.connection.guards_x509) {
    if (auto refused = guard_x509(inner)) return std::move(*refused);
  }
  return inspect_message(inner, request.bytes.size());
}

wire::result<unpacked_message> inspector::unpack(const request_view& request) {
  return request.unpacking != nullptr
             ? request.unpacking->unpacked()
             : unpack(request.header, request.bytes, request.connection);
}

wire::result<unpacked_message> inspector::unpack(const wire::message_header& header,
                                                 std::span<const std::byte> message,
                                                 const inspected_connection& connection) {
  auto unpacked = unpacker_.unpack(header, message, connection.memory);
  if (unpacked) charge(unpacked->bytes.size() * net::work_meter::unpacking);
  return unpacked;
}

inspection inspector::inspect_message(const request_view& request,
                                      std::size_t bytes_that_came) {
  const auto& [header, message, connection, now, unpacking] = request;
  const auto* const known = header.op == wire::opcode::msg ? memo_.find(message) : nullptr;
  if (known != nullptr && !(taps_ != nullptr && !connection.client.is_stranger() &&
                            taps_->are_due(known->what.command, known->what.routing, now))) {
    return recall(*known, request);
  }
  work_ = wire::work_budget::for_message(message.size(), bytes_that_came);
  const auto read = message_reading::of(header, message, work_);
  // One that is known is only looked at for the sake of a copy.
  const bool may_keep = header.op == wire::opcode::msg && known == nullptr;
  return inspect_read(request, read, {may_keep ? &read.parsed : nullptr});
}

inspection inspector::inspect_read(const request_view& request, const message_reading& read,
                                   const arrival& came) {
  if (read.has_good_checksum) metrics_.count_checksum(*read.has_good_checksum);
  if (!read.command) return pass_unread(request, read.command.error());
  return inspect_command(request, *read.command, came);
}

inspection inspector::inspect_command(const request_view& request, const wire::command& command,
                                      const arrival& came) {
  client_identity& client = request.connection.client;
  auto pending = accounting_.take();
  pending->awaits = request.header.request_id;
  pending->sent = request.now;
  pending->is_counted = true;
  pending->may_stream = command.exhaust_allowed;
  pending->is_from_stranger = client.is_stranger();
  const routing::verdict verdict = judge(command, came, request.connection.cursors, *pending);
  comment_text text;
  const std::string_view comment =
      settings_->rules.looks_at_comments() ? text.read(command) : std::string_view{};
  std::optional<routing::hashed_shape> shape;
  if (came.judged != nullptr) shape = came.judged->shape();
  std::optional<std::string> query_shape;
  const subject what{request, command, verdict, comment, came.is_abridged, shape, query_shape};
  remember_verdict(command, verdict, *pending);
  const decision decided = decide(what);
  pending->dry_run = rule_counts_.found();
  std::optional<routing::verdict> seen;
  if (decided.seen_by != nullptr) seen = verdict.seen_by(*decided.seen_by);
  const routing::verdict& deciding = seen ? *seen : verdict;
  pending->is_finding = decided.is_finding;
  if (is_told_of(*pending)) {
    pending->trace = trace_of(request.header, came.is_abridged ? came.digest : request.bytes);
  }
  note_shape({request, command, deciding, comment, came.is_abridged, shape, query_shape},
             decided, *pending);
  if (taps_ != nullptr && !pending->is_from_stranger) leave_copies(what, *pending);
  const bool is_rejected = decided.is_finding && decided.action == config::rule_action::reject;
  if (is_rejected && !command.more_to_come) {
    pending->is_rejected = true;
    pending->rejection =
        rejection_of(request.header, deciding, command, *decided.rule, next_reply_id_++);
  }
  const auto held_by = decided.is_finding && decided.action == config::rule_action::throttle
                           ? throttle_of(*decided.rule)
                           : nullptr;
  if (!is_rejected) {
    if (held_by == nullptr) keep(came, what, decided, *pending);
    if (is_about_client(verdict.command)) {
      pending->claim = client.claim(command, verdict.command);
    }
  }
  charge_for(request, came);
  if (held_by != nullptr) {
    return hold(*decided.rule, held_by, std::move(pending), command.more_to_come);
  }
  const auto how = is_rejected ? disposition::drop : disposition::forward;
  if (!command.more_to_come) return {how, std::move(pending)};
  return complete_unanswered(request, std::move(pending), how);
}

/// What judging took, of the worker's own time.
void inspector::charge_for(const request_view& request, const arrival& came) {
  if (came.judged != nullptr) return metrics_.observe_inspect(came.judged->took());
  metrics_.observe_inspect(timer_.stop());
  charge(request.bytes.size() + static_cast<std::uint64_t>(work_.spent()));
}

/// Counts a request to which there is no reply.
inspection inspector::complete_unanswered(const request_view& request,
                                          std::unique_ptr<pending_request> pending,
                                          disposition how) {
  if (how == disposition::drop) metrics_.rejected_without_reply.add();
  accounting_.complete(*pending, {request.now, false, {}}, request.connection);
  accounting_.give_back(std::move(pending));
  return {how, nullptr};
}

routing::verdict inspector::verdict_on(const wire::command& command, const arrival& came) {
  if (came.judged != nullptr) return came.judged->verdict();
  return routing::classify(command, *settings_->catalog, memory_.verdict(), work_);
}

routing::verdict inspector::judge(const wire::command& command, const arrival& came,
                                  cursor_table& cursors, pending_request& pending) {
  routing::verdict verdict = verdict_on(command, came);
  if (verdict.abandoned) metrics_.verdicts_abandoned.add();
  if (verdict.widened) metrics_.scratch_exhausted.add();
  if (verdict.why == routing::reason::unreadable) {
    metrics_.count_uninspected(wire::wire_errc::bad_bson);
  } else if (verdict.why == routing::reason::too_deep) {
    metrics_.count_uninspected(wire::wire_errc::too_deep);
  }
  follow_cursor(verdict, command, cursors, pending);
  return verdict;
}

/// Whether anybody is told of this very command, beside its being counted.
bool inspector::is_told_of(const pending_request& pending) const noexcept {
  return pending.is_finding || pending.routing == routing::routing_class::scatter_gather ||
         is_tapped(pending) ||
         (taps_ != nullptr && taps_->are_due(pending.command, pending.routing, pending.sent));
}

void inspector::leave_copies(const subject& what, const pending_request& pending) {
  const clock::time_point now = what.request.now;
  if (taps_->samples.choose(what.verdict.command, now)) {
    taps_->samples.take(what.command, what.verdict,
                        {pending.is_finding, what.is_abridged, pending.trace}, memory_.shape());
  }
  if (taps_->checks->choose(what.verdict, now)) taps_->checks->leave(what.command);
}

sender inspector::sender_of(const request_view& request) const noexcept {
  const client_identity& client = request.connection.client;
  return {client.app(), client.user(), client.address(), today_};
}

void inspector::set_day(text::day today) {
  if (settings_->rules.differs_between(today_, today)) {
    shapes_.renew_details();
    memo_.clear();
  }
  today_ = today;
}

decision inspector::decide(const subject& what) {
  const judged_command command{what.verdict, sender_of(what.request), what.comment};
  const auto note_dry_run = [&](const config::rule& rule, const routing::touch* touched) {
    rule_counts_.note_dry_run(rule, touched ? what.verdict.seen_by(*touched) : what.verdict);
  };
  rule_counts_.begin();
  const bool may_be_unjudged = what.verdict.routing == routing::routing_class::unknown ||
                               what.verdict.may_touch_more || !what.verdict.touches.empty();
  if (may_be_unjudged) {
    const strict_rules strict = settings_->rules.for_unjudged(command);
    if (const config::rule* rule = strict.decides) {
      return {true, rule->action, rule, false, nullptr};
    }
    if (strict.dry_run != nullptr) note_dry_run(*strict.dry_run, nullptr);
  }
  const auto hash_shape = [&] {
    what.shape = routing::hash_shape(what.command, memory_.shape());
    return what.shape->hash;
  };
  const auto hash_query_shape = [&] { return query_shape_of(what); };
  return settings_->rules.decide(command, hash_shape, hash_query_shape, note_dry_run);
}

void inspector::remember_verdict(const wire::command& command, const routing::verdict& verdict,
                                 pending_request& pending) {
  pending.command = verdict.command;
  pending.routing = verdict.routing;
  pending.bounds = verdict.bounds;
  pending.why = verdict.why;
  pending.statements = verdict.statements;
  pending.may_open_cursor = routing::facts_of(verdict.command).opens_cursor;
  pending.is_on_collection = is_on_collection(verdict);
  pending.has_fanout = verdict.fanout.has_value();
  pending.went.routing = verdict.routing;
  if (verdict.fanout) pending.fanout = static_cast<std::uint32_t>(verdict.fanout->size());
  if (const auto asked = verdict.shards_asked()) {
    pending.went.shards = *asked;
    pending.went.is_known = true;
  }
  pending.may_change_catalog =
      settings_->notes && catalog_hints::may_change_catalog(verdict, command.name);
  note_use(verdict);
  remember_namespace(verdict, pending);
  if (!verdict.touches.empty() && verdict.command == routing::command_kind::bulk_write) {
    remember_statements(verdict, pending);
  }
}

/// Whatever becomes of a command: where the chunks are of what it names, the next one is to
/// know.
void inspector::note_use(const routing::verdict& verdict) noexcept {
  if (verdict.judged != nullptr) verdict.judged->note_use();
  for (const routing::touch& one : verdict.touches) {
    if (one.judged != nullptr) one.judged->note_use();
  }
}

void inspector::remember_statements(const routing::verdict& verdict, pending_request& pending) {
  for (const routing::touch& one : verdict.touches) {
    if (one.database == verdict.database && one.collection == verdict.collection) continue;
    statements_elsewhere other;
    other.count = one.statements;
    other.routing = one.routing;
    other.ns = metrics_.known(one.database, one.collection);
    const std::size_t size = one.database.size() + 1 + one.collection.size();
    if (!other.ns && pending.names_elsewhere.size() + size > max_names_elsewhere) {
      other.ns = telemetry::other_namespace;
    }
    if (other.ns) {
      metrics_.begin(*other.ns);
    } else {
      other.name_at = static_cast<std::uint32_t>(pending.names_elsewhere.size());
      other.name_size = static_cast<std::uint32_t>(size);
      pending.names_elsewhere.append(one.database).push_back('\0');
      pending.names_elsewhere.append(one.collection);
    }
    pending.statements[static_cast<std::size_t>(one.routing)] -= one.statements;
    pending.elsewhere.push_back(other);
  }
}

void inspector::remember_namespace(const routing::verdict& verdict, pending_request& pending) {
  pending.ns = metrics_.known(verdict.database, verdict.collection);
  if (!pending.ns &&
      verdict.database.size() + verdict.collection.size() > wire::limits::max_namespace_bytes) {
    pending.ns = telemetry::other_namespace;  // no server has a namespace like that
  }
  if (pending.ns) return metrics_.begin(*pending.ns);
  if (settings_->notes) hints_.note_unlisted(verdict, *settings_->notes);
  pending.is_listed = verdict.judged != nullptr && verdict.judged->ns() == verdict.ns();
  pending.unlisted_name.assign(verdict.database);
  pending.unlisted_name.push_back('\0');
  pending.unlisted_name.append(verdict.collection);
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
