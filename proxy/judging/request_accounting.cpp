#include "proxy/judging/request_accounting.hpp"

#include <algorithm>

#include "proxy/judging/rule_decisions.hpp"
#include "wire/server_error.hpp"

namespace scattergate::proxy {
namespace {

/// Whether mongos refused a command for lack of a shard key: error 61, ShardKeyNotFound; for a
/// write also 72, InvalidOptions, and 31025 (changes the shard key without specifying all of
/// it).
bool lacks_shard_key(routing::command_kind kind, wire::server_errc code) noexcept {
  using enum wire::server_errc;
  return code == shard_key_not_found ||
         (routing::facts_of(kind).is_write &&
          (code == invalid_options || code == partial_key_update));
}

/// The namespace of hello and similar commands, in the form of pending_request::unlisted_name.
/// Strangers' commands on it are counted under it, too.
constexpr std::string_view public_namespace{"admin\0", 6};

/// Whether the finding says that the command fails, on a collection that the catalog lists or
/// that has had a successful command.
bool fails_as_expected(const pending_request& request) noexcept {
  return request.is_finding && is_error(request.finding_reason) &&
         (request.ns.has_value() || request.is_listed);
}

/// Whether a failed command may still get a metric label and a shape's place of its own: a rule
/// rejected it, mongos refused it because of the shard key, its failure is the finding, or
/// clients are trusted (limits.trust_clients).
bool is_worth_a_place(const pending_request& request, const completion& completed,
                      bool trusts_clients) noexcept {
  const auto code = static_cast<wire::server_errc>(completed.facts.code);
  return trusts_clients || (request.is_rejected && request.is_finding) ||
         lacks_shard_key(request.command, code) || fails_as_expected(request);
}

/// Corrects the counts of a command that isn't forwarded: it asks no shard.
void reaches_no_shard(pending_request& request) noexcept {
  request.has_fanout = false;
  request.digest_destination.shards = 0;
  request.digest_destination.is_known = true;
}

/// Whether mongos has run a command that is a finding only because mongos should reject it. The
/// reply to a batch doesn't show that: it is ok even if every statement failed.
bool is_refuted(const pending_request& request, const completion& completed) noexcept {
  return request.is_finding && !request.rule && !request.is_rejected &&
         request.finding_reason == routing::cause{routing::reason::refused} &&
         routing::facts_of(request.command).batch.empty() && completed.was_answered &&
         completed.facts.readable && completed.facts.ok;
}

/// The outcome to count for a completed command.
telemetry::shape_ending ending_of(const pending_request& request,
                                  std::chrono::nanoseconds duration,
                                  const completion& completed) noexcept {
  const bool is_error =
      request.is_rejected || (completed.facts.readable && !completed.facts.ok);
  return {request.digest_destination, is_error, duration, completed.at, request.is_rejected};
}

telemetry::tapped_end tapped_end_of(const pending_request& request,
                                    const completion& completed) noexcept {
  using enum telemetry::tapped_end;
  if (request.is_rejected) return rejected;
  if (!completed.was_answered) return unanswered;
  if (!completed.facts.readable) return unread;
  return completed.facts.ok ? ok : error;
}

/// An exemplar: a command to show with a metric. Omits a trace id that isn't sampled, because
/// no trace of it is stored.
telemetry::exemplar example_of(const pending_request& request, clock::time_point at,
                               std::chrono::nanoseconds duration) noexcept {
  return {request.trace.is_sampled ? request.trace : wire::trace_id{}, request.shape_hash,
          static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0)), at, 0};
}

/// Counts a command in the usual case: its shape has a place, which already counts its caller.
/// Otherwise returns false.
bool count_again(telemetry::shape_table& shapes, const pending_request& request,
                 const telemetry::shape_ending& ending,
                 const client_identity& client) noexcept {
  return request.fresh == nullptr && !client.is_stranger() && request.comment.empty() &&
         request.test.empty() &&
         shapes.complete_known(request.ticket, ending, client.known_as());
}

}  // namespace

request_accounting::request_accounting(telemetry::worker_metrics& metrics,
                                       telemetry::shape_table& shapes,
                                       telemetry::account& account, telemetry::live_tap& tap)
    : metrics_(metrics),
      shapes_(shapes),
      account_(account),
      tap_(tap),
      settings_(std::make_shared<const settings>()) {}

void request_accounting::complete(pending_request& request, const completion& completed,
                                  const inspected_connection& connection) {
  const bool is_good = completed.was_answered && completed.facts.readable && completed.facts.ok;
  if (request.is_rejected) reaches_no_shard(request);
  if (request.claim) {
    connection.client.settle(*request.claim,
                             completed.was_answered ? &completed.facts : nullptr);
    request.claim.reset();
  }
  if (is_good && request.is_on_collection) connection.client.note_success();
  // Counts the request only once, even if counting runs out of memory.
  if (std::exchange(request.must_be_counted, false))
    count_command(request, completed, connection.client);
  if (!request.changes.empty()) note_changes(request, completed, connection.client);
  if (!completed.was_answered) return;
  if (is_good) follow_cursors(request, completed, connection);
}

/// Reports the command's changes to the live catalog. A command that failed, or whose reply is
/// lost, may have changed something, or may still do so: for example, it has exceeded its time
/// limit. Strangers' commands can't.
void request_accounting::note_changes(pending_request& request, const completion& completed,
                                      const client_identity& client) {
  using enum wire::server_errc;
  const auto code = static_cast<wire::server_errc>(completed.facts.code);
  const bool is_done = completed.was_answered && completed.facts.ok;
  const bool has_not_run = request.is_rejected || code == unauthorized ||
                           code == command_not_found || client.is_stranger();
  if (!settings_->notes || (!is_done && has_not_run)) return;
  for (config::metadata_change& each : request.changes) {
    each.goes_on = each.goes_on || !is_done;
    settings_->notes->note_change(each);
  }
}

/// Adds the cursor that a command has opened to the cursor table, and removes those that it has
/// closed. REQUIRES: mongos has replied with success.
void request_accounting::follow_cursors(const pending_request& request,
                                        const completion& completed,
                                        const inspected_connection& connection) {
  cursor_table& cursors = connection.cursors;
  for (const std::int64_t killed : request.killed_cursors) cursors.forget(killed);
  if (!request.may_open_cursor) return;
  if (request.cursor_id != 0 && completed.facts.cursor_id == 0)
    cursors.forget(request.cursor_id);
  if (request.cursor_id == 0 && completed.facts.cursor_id != 0) {
    cursors.remember(completed.facts.cursor_id,
                     {request.routing, request.bounds, request.why, request.shape_hash,
                      request.digest_destination},
                     connection.id);
  }
}

/// Counts a command that mongos ran as no finding, although its verdict was a refusal. Its
/// shape is that of a finding, so it counts only in the digest's totals.
void request_accounting::forget_finding(pending_request& request) {
  request.is_finding = false;
  if (request.finding_ns) metrics_.end(*request.finding_ns);
  request.finding_ns.reset();
  if (request.fresh == nullptr) shapes_.cancel(request.ticket);
  request.fresh.reset();
  request.ticket = shapes_.begin_rowless();
}

void request_accounting::count_command(pending_request& request, const completion& completed,
                                       client_identity& client) {
  if (is_refuted(request, completed)) forget_finding(request);
  const auto ns = request.ns ? *request.ns
                             : namespace_of(request.unlisted_name, request, completed, client);
  if (request.ns) metrics_.end(ns);
  if (!client.is_stranger()) metrics_.confirm(ns);
  const auto duration = request.answered.value_or(completed.at) - request.sent;
  metrics_.count_command(ns, request.command, request.routing);
  const bool is_batch = !routing::facts_of(request.command).batch.empty();
  if (is_batch) count_statements(request, ns, completed, client);
  if (request.has_fanout) metrics_.observe_fanout(ns, request.fanout);
  if (completed.was_answered && !request.is_rejected) {
    metrics_.observe_duration(request.command, request.routing, duration);
    if (completed.facts.readable && !completed.facts.ok) {
      metrics_.count_error(request.command, completed.facts.code);
    }
    if (request.routing == routing::routing_class::scatter_gather) {
      metrics_.show_scatter(request.command, example_of(request, completed.at, duration));
    }
  }
  count_rules(request, ns, metrics_);
  if (request.is_finding) count_finding(request, ns, completed, client);
  const auto ending = ending_of(request, duration, completed);
  if (!count_again(shapes_, request, ending, client))
    count_shape(request, ending, completed, client);
  if (tap_.has_listener_for(request.routing, request.is_finding)) [[unlikely]] {
    push_to_tap(request, duration, completed, client);
  }
}

/// Passes a copy of the command to the tap. REQUIRES: its shape was counted, so that the ticket
/// is valid.
void request_accounting::push_to_tap(const pending_request& request,
                                     std::chrono::nanoseconds duration,
                                     const completion& completed,
                                     const client_identity& client) {
  if (!tap_.admit(request.routing, request.is_finding)) return;
  telemetry::tapped_command tapped;
  tapped.at = completed.at;
  tapped.duration = duration;
  tapped.details = shapes_.details_of(request.ticket);
  tapped.shape_hash = request.shape_hash;
  tapped.trace = request.trace;
  tapped.command = request.command;
  tapped.routing = request.routing;
  tapped.why = request.is_finding ? request.finding_reason : routing::cause{request.why};
  if (request.is_finding) tapped.action = request.action;
  if (request.dry_run) tapped.dry_run = request.dry_run->action;
  if (request.digest_destination.is_known) tapped.shards = request.digest_destination.shards;
  tapped.end = tapped_end_of(request, completed);
  tapped.code = completed.facts.code;
  tapped.set_app(client.app());
  tap_.push(std::move(tapped));
}

void request_accounting::count_finding(const pending_request& request,
                                       telemetry::namespace_id ns, const completion& completed,
                                       const client_identity& client) {
  auto found_in = request.finding_ns.value_or(ns);
  if (request.finding_ns) metrics_.end(found_in);
  if (!request.finding_name.empty()) {
    found_in = namespace_of(request.finding_name, request, completed, client);
  }
  metrics_.count_finding(found_in, request.command, request.finding_reason, request.action);
  metrics_.show_finding(found_in, request.command, request.finding_reason, request.action,
                        example_of(request, completed.at, {}));
}

void request_accounting::count_shape(pending_request& request,
                                     const telemetry::shape_ending& ending,
                                     const completion& completed, client_identity& client) {
  if (client.known_as() == 0) client.compute_known_as();
  request.ticket = place_of(request, completed, client);
  const bool is_new_finding =
      shapes_.complete(request.ticket, ending, client.as_caller(request.comment, request.test),
                       client.is_stranger());
  if (is_new_finding && account_.has_room()) account_.submit(shapes_.drain_counts(1));
}

/// The metric label for a command whose namespace had none when the command arrived. Assigns
/// one if the command is worth it. `name`: "database" NUL "collection".
telemetry::namespace_id request_accounting::namespace_of(std::string_view name,
                                                         const pending_request& request,
                                                         const completion& completed,
                                                         const client_identity& client) {
  const auto dot = name.find('\0');
  const wire::namespace_view pair{name.substr(0, dot), name.substr(dot + 1)};
  if (client.is_stranger() && settings_->names(pair)) {
    if (const auto own = metrics_.admit_provisional(pair.database, pair.collection))
      return *own;
  }
  const bool has_failed = completed.was_answered && !completed.facts.ok;
  const bool is_placed = !client.is_stranger() &&
                         is_worth_a_place(request, completed, settings_->limits.trust_clients);
  if (has_failed && !is_placed) {
    return telemetry::failed_namespace;
  }
  // For a command without a reply, it suffices that the collection exists: it may get writes
  // with w: 0 only.
  const bool is_good = completed.was_answered || request.is_listed;
  if (!is_good || (client.is_stranger() && name != public_namespace)) {
    return telemetry::other_namespace;
  }
  return metrics_.admit(pair.database, pair.collection);
}

/// The shape's place to count a command in. A finding whose client disconnected before the
/// reply counts like a successful one: perhaps the command took too long for the client.
telemetry::shape_table::ticket request_accounting::place_of(pending_request& request,
                                                            const completion& completed,
                                                            const client_identity& client) {
  const auto shared = [&] {
    return request.is_finding ? shapes_.begin_failed() : shapes_.begin_rowless();
  };
  // There is one shape per error of unreadable messages, so strangers can't fill the table.
  const bool is_stranger =
      client.is_stranger() && !request.is_unreadable && !settings_->limits.trust_clients;
  if (request.fresh != nullptr) {
    const bool has_failed =
        request.is_finding && completed.was_answered && !completed.facts.ok &&
        !is_worth_a_place(request, completed, settings_->limits.trust_clients) &&
        !request.is_unreadable;
    if (!is_stranger && !has_failed) return shapes_.admit(std::move(*request.fresh));
    const bool may_stay = is_stranger && may_be_named(request, *request.fresh);
    return may_stay ? shapes_.admit_strangers(std::move(*request.fresh)) : shared();
  }
  if (!is_stranger) {
    shapes_.make_ordinary(request.ticket);
    return request.ticket;
  }
  if (may_be_named(request, *shapes_.details_of(request.ticket))) return request.ticket;
  shapes_.cancel(request.ticket);
  return shared();
}

/// Whether a stranger's command may be counted under its own shape: it is a finding in a
/// namespace that the catalog or a rule names.
bool request_accounting::may_be_named(const pending_request& request,
                                      const telemetry::shape_details& details) const noexcept {
  return request.is_finding && settings_->names({details.database, details.collection});
}

void request_accounting::count_statements(const pending_request& request,
                                          telemetry::namespace_id ns,
                                          const completion& completed,
                                          const client_identity& client) {
  for (std::size_t i = 0; i < request.statements.size(); ++i) {
    if (request.statements[i] == 0) continue;
    metrics_.count_statements(ns, request.command, static_cast<routing::routing_class>(i),
                              request.statements[i]);
  }
  for (const statements_elsewhere& other : request.elsewhere) {
    const auto name =
        std::string_view{request.names_elsewhere}.substr(other.name_at, other.name_size);
    const auto there = other.ns ? *other.ns : namespace_of(name, request, completed, client);
    if (other.ns) metrics_.end(there);
    metrics_.count_statements(there, request.command, other.routing, other.count);
  }
}

inspection request_accounting::complete_unanswered(const request_view& request,
                                                   std::unique_ptr<pending_request> pending,
                                                   disposition outcome) {
  if (outcome == disposition::drop) {
    metrics_.rejected_without_reply.add();
    reaches_no_shard(*pending);
  }
  complete(*pending, {request.now, false, {}}, request.connection);
  give_back(std::move(pending));
  return {outcome, nullptr};
}

bool request_accounting::flush_shapes() {
  while (shapes_.has_counts() && account_.has_room()) {
    account_.submit(shapes_.drain_counts(telemetry::account::batch));
  }
  return !shapes_.has_counts();
}

void request_accounting::flush_last_shapes() {
  while (shapes_.has_counts()) account_.submit(shapes_.drain_counts(telemetry::account::batch));
}

bool request_accounting::evict_quiet(clock::time_point now) {
  const bool has_released = metrics_.release_leaving();
  return shapes_.evict_quiet(now, settings_->limits.quiet) != 0 || has_released;
}

}  // namespace scattergate::proxy
