#include "proxy/judging/catalog_hints.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "wire/bson.hpp"
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

}  // namespace scattergate::proxy
