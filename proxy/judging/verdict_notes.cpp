#include "proxy/judging/verdict_notes.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "wire/bson.hpp"
#include "wire/limits.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::proxy {
namespace {

using config::metadata_change;
using routing::routing_class;

/// What a command of the shardingAdmin group changes.
struct admin_change {
  std::string_view command;
  bool is_placement = false;
  bool goes_on = false;  ///< it goes on after the command's reply
};

/// The commands of the shardingAdmin group that change which shards have a collection's data.
constexpr std::array admin_changes = std::to_array<admin_change>({
    {"createUnsplittableCollection"},
    {"untrackUnshardedCollection"},
    {"commitReshardCollection", false, true},
    {"commitMoveCollection", false, true},
    {"commitUnshardCollection", false, true},
    {"abortReshardCollection", false, true},
    {"abortMoveCollection", false, true},
    {"abortUnshardCollection", false, true},
    {"movePrimary", true},
    {"moveprimary", true},
    {"changePrimary", true},
    {"rewriteCollection", true},
    {"mergeAllChunksOnShard", true},
    // The balancer moves chunks from now on.
    {"addShard", true, true},
    {"addshard", true, true},
    {"addShardToZone", true, true},
    {"addshardtozone", true, true},
    {"removeShardFromZone", true, true},
    {"removeshardfromzone", true, true},
    {"updateZoneKeyRange", true, true},
    {"balancerStart", true, true},
    {"configureCollectionBalancing", true, true},
    {"removeShard", true, true},
    {"removeshard", true, true},
    {"startShardDraining", true, true},
    {"commitShardRemoval", true, true},
    {"startTransitionToDedicatedConfigServer", true, true},
    {"transitionToDedicatedConfigServer", true, true},
    {"commitTransitionToDedicatedConfigServer", true, true},
    {"transitionFromDedicatedConfigServer", true, true},
});

/// The maximum number of changes that a worker keeps apart. More are like a change of all
/// namespaces.
constexpr std::size_t most_kept = 64;

metadata_change change_of(wire::namespace_view ns, bool is_placement) {
  metadata_change made;
  made.database = ns.database;
  made.collection = ns.collection;
  made.is_placement = is_placement;
  return made;
}

/// Whether the class depends on where the chunks are. A single statement that pins the whole
/// key goes to one shard, whatever the chunks.
bool depends_on_chunks(const routing::verdict& verdict) noexcept {
  if (verdict.routing == routing_class::unsharded) return false;
  return verdict.routing != routing_class::single_shard ||
         verdict.bounds != routing::bounds_kind::point ||
         std::reduce(verdict.statements.begin(), verdict.statements.end()) != 1;
}

bool is_of(const metadata_change& change, wire::namespace_view ns) noexcept {
  return change.database.empty() ||
         (change.database == ns.database &&
          (change.collection.empty() || change.collection == ns.collection));
}

/// Whether a change concerns a namespace that a command uses. `entry`: the catalog's entry by
/// which the namespace was judged; null: none.
bool concerns(const metadata_change& change, wire::namespace_view ns,
              const routing::collection* entry) noexcept {
  if (is_of(change, ns) || (entry != nullptr && is_of(change, entry->ns()))) return true;
  // The namespace may be a view over the changed one. The catalog lists views only of databases
  // with sharded collections.
  const bool may_be_view = entry == nullptr || entry->ns() != ns;
  return may_be_view && !change.is_placement && change.database == ns.database;
}

bool concerns(const metadata_change& change, const routing::verdict& verdict) noexcept {
  if (change.is_placement && !depends_on_chunks(verdict)) return false;
  if (concerns(change, verdict.ns(), verdict.judged)) return true;
  return std::ranges::any_of(verdict.touches, [&](const routing::touch& one) {
    return concerns(change, one.ns(), one.judged);
  });
}

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

bool may_be_too_good(routing_class routing) noexcept {
  return routing == routing_class::unsharded || routing == routing_class::single_shard ||
         routing == routing_class::multi_shard;
}

void catalog_hints::follow(std::shared_ptr<config::catalog_notes> notes, bool awaits_reads) {
  awaits_reads_ = awaits_reads && notes != nullptr;
  if (notes == notes_) return;
  notes_ = std::move(notes);
  seen_ = 0;
  read_ = 0;
  changed_.clear();
}

void catalog_hints::note_unlisted(const routing::verdict& verdict) {
  if (notes_ == nullptr || awaits_reads_) return;
  if (verdict.judged != nullptr || verdict.collection.empty()) return;
  if (wire::is_server_database(verdict.database)) return;
  const bool is_on_a_collection =
      verdict.routing == routing_class::unsharded || verdict.why == routing::reason::no_catalog;
  if (!is_on_a_collection) return;
  const std::size_t hash = wire::seeded_hash(verdict.ns());
  std::size_t& place = recent_[hash % recent_.size()];
  if (place == hash) return;
  place = hash;
  notes_->note_unknown(verdict.database, verdict.collection);
}

std::vector<metadata_change> catalog_hints::changes_by(const routing::verdict& verdict,
                                                       const wire::command& command) const {
  using routing::catalog_change;
  const catalog_change what = routing::facts_of(verdict.command).changes;
  if (what == catalog_change::none || notes_ == nullptr) return {};
  std::vector<metadata_change> found;
  if (what == catalog_change::depends_on_command) {
    const auto row = std::ranges::find(admin_changes, command.name, &admin_change::command);
    if (row == admin_changes.end()) return {};
    found.push_back(change_of({}, row->is_placement));
    found.back().goes_on = row->goes_on;
    return found;
  }
  // While the catalog may be outdated, it may lack a collection that exists.
  if (what == catalog_change::of_listed && verdict.judged == nullptr && !may_be_outdated() &&
      !wire::find_field(command.body, "viewOn")) {
    return {};
  }
  found.push_back(change_of(verdict.ns(), what == catalog_change::placement));
  if (verdict.command == routing::command_kind::rename_collection) {
    const auto to = wire::find_field(command.body, "to");
    const auto name =
        to && to->is_string() ? wire::namespace_view::of(to->as_string()) : std::nullopt;
    found.push_back(change_of(name.value_or(wire::namespace_view{}), false));
  }
  return found;
}

void catalog_hints::take_changes() {
  for (metadata_change& each : notes_->changes_since(seen_)) {
    if (each.known_from <= read_) continue;
    const auto same = std::ranges::find_if(changed_, [&](const metadata_change& one) {
      return one.database == each.database && one.collection == each.collection &&
             one.is_placement == each.is_placement;
    });
    if (same != changed_.end()) {
      same->known_from = each.known_from;
    } else {
      changed_.push_back(std::move(each));
    }
  }
  if (changed_.size() <= most_kept) return;
  metadata_change any;
  any.known_from =
      std::ranges::max_element(changed_, {}, &metadata_change::known_from)->known_from;
  changed_.assign(1, any);
}

bool catalog_hints::is_outdated(const routing::verdict& verdict) {
  if (!may_be_outdated()) return false;
  if (notes_->changes() != seen_) take_changes();
  return may_be_too_good(verdict.routing) &&
         std::ranges::any_of(
             changed_, [&](const metadata_change& each) { return concerns(each, verdict); });
}

void catalog_hints::note_read(std::uint64_t number) noexcept {
  read_ = number;
  is_late_ = false;
  std::erase_if(changed_,
                [number](const metadata_change& one) { return one.known_from <= number; });
}

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
