#include "proxy/judging/verdict_notes.hpp"

#include <optional>
#include <utility>

#include "wire/limits.hpp"

namespace scattergate::proxy {
namespace {

/// Whether mongos answers this command successfully only to clients that may use the
/// collection.
bool is_on_collection(const routing::verdict& verdict) noexcept {
  using enum routing::command_family;
  const routing::command_family family = routing::family_of(verdict.command);
  return !verdict.collection.empty() && (family == routed || family == by_nature);
}

/// Marks the collections that a command names as in use, so that the catalog loads their chunks
/// for later commands. Marks them even if the command fails.
void note_use(const routing::verdict& verdict) noexcept {
  if (verdict.judged != nullptr) verdict.judged->note_use();
  for (const routing::touch& one : verdict.touches) {
    if (one.judged != nullptr) one.judged->note_use();
  }
}

/// Sets `to` to the verdict's namespace, in the form of pending_request::unlisted_name.
void assign_name(std::string& to, const routing::verdict& verdict) {
  to.assign(verdict.database);
  to.push_back('\0');
  to.append(verdict.collection);
}

}  // namespace

void verdict_notes::note(const wire::command& command, const routing::verdict& verdict,
                         pending_request& pending) {
  pending.command = verdict.command;
  pending.routing = verdict.routing;
  pending.bounds = verdict.bounds;
  pending.why = verdict.why;
  pending.statements = verdict.statements;
  pending.may_open_cursor = routing::facts_of(verdict.command).opens_cursor;
  pending.is_on_collection = is_on_collection(verdict);
  pending.has_fanout = verdict.fanout.has_value();
  pending.digest_destination.routing = verdict.routing;
  if (verdict.fanout) pending.fanout = static_cast<std::uint32_t>(verdict.fanout->size());
  if (const auto asked = verdict.shards_asked()) {
    pending.digest_destination.shards = *asked;
    pending.digest_destination.is_known = true;
  }
  pending.changes = hints_.changes_by(verdict, command);
  note_use(verdict);
  note_namespace(verdict, pending);
  if (!verdict.touches.empty() && verdict.command == routing::command_kind::bulk_write) {
    note_statements(verdict, pending);
  }
}

void verdict_notes::note_outdated(pending_request& pending) noexcept {
  using routing::routing_class;
  metrics_.verdicts_outdated.add();
  pending.routing = routing_class::unknown;
  pending.bounds = routing::bounds_kind::none;
  pending.why = routing::reason::catalog_outdated;
  pending.has_fanout = false;
  pending.digest_destination = {};
  pending.digest_destination.routing = routing_class::unknown;
  auto& unknown = pending.statements[static_cast<std::size_t>(routing_class::unknown)];
  for (const auto each :
       {routing_class::unsharded, routing_class::single_shard, routing_class::multi_shard}) {
    unknown += std::exchange(pending.statements[static_cast<std::size_t>(each)], 0);
  }
  for (statements_elsewhere& one : pending.elsewhere) {
    if (may_be_too_good(one.routing)) one.routing = routing_class::unknown;
  }
}

void verdict_notes::note_statements(const routing::verdict& verdict, pending_request& pending) {
  for (const routing::touch& one : verdict.touches) {
    if (one.database == verdict.database && one.collection == verdict.collection) continue;
    statements_elsewhere other;
    other.count = one.statements;
    other.routing = one.counted_class();
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
    pending.statements[static_cast<std::size_t>(other.routing)] -= one.statements;
    pending.elsewhere.push_back(other);
  }
}

/// The metric label of a verdict's namespace; std::nullopt if it has none yet.
std::optional<telemetry::namespace_id> verdict_notes::label_of(
    const routing::verdict& verdict) const {
  const auto known = metrics_.known(verdict.database, verdict.collection);
  if (!known &&
      verdict.database.size() + verdict.collection.size() > wire::limits::max_namespace_bytes) {
    return telemetry::other_namespace;  // no server has such a namespace
  }
  return known;
}

void verdict_notes::note_namespace(const routing::verdict& verdict, pending_request& pending) {
  pending.ns = label_of(verdict);
  if (pending.ns) return metrics_.begin(*pending.ns);
  hints_.note_unlisted(verdict);
  pending.is_listed = verdict.judged != nullptr && verdict.judged->ns() == verdict.ns();
  assign_name(pending.unlisted_name, verdict);
}

void verdict_notes::note_finding_namespace(const routing::verdict& verdict,
                                           pending_request& pending) {
  pending.finding_ns = label_of(verdict);
  if (pending.finding_ns) return metrics_.begin(*pending.finding_ns);
  assign_name(pending.finding_name, verdict);
}

}  // namespace scattergate::proxy
