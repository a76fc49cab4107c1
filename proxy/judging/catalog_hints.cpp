#include "proxy/judging/catalog_hints.hpp"

#include <algorithm>

#include "wire/namespace_view.hpp"

namespace scattergate::proxy {
namespace {

/// The commands of the shardingAdmin group that change which shards have a collection's data.
constexpr std::array<std::string_view, 18> moving_commands = {
    "movePrimary",
    "moveprimary",
    "changePrimary",
    "rewriteCollection",
    "mergeAllChunksOnShard",
    "commitReshardCollection",
    "commitMoveCollection",
    "commitUnshardCollection",
    "abortReshardCollection",
    "abortMoveCollection",
    "abortUnshardCollection",
    "createUnsplittableCollection",
    "removeShard",
    "removeshard",
    "commitShardRemoval",
    "untrackUnshardedCollection",
    "transitionToDedicatedConfigServer",
    "commitTransitionToDedicatedConfigServer"};

}  // namespace

void catalog_hints::note_unlisted(const routing::verdict& verdict, config::catalog_notes& to) {
  if (verdict.judged != nullptr || verdict.collection.empty()) return;
  if (wire::is_server_database(verdict.database)) return;
  const bool is_on_a_collection = verdict.routing == routing::routing_class::unsharded ||
                                  verdict.why == routing::reason::no_catalog;
  if (!is_on_a_collection) return;
  const std::size_t hash = wire::seeded_hash(verdict.ns());
  std::size_t& place = recent_[hash % recent_.size()];
  if (place == hash) return;
  place = hash;
  to.note_unknown(verdict.database, verdict.collection);
}

bool catalog_hints::may_change_catalog(const routing::verdict& verdict,
                                       std::string_view name) noexcept {
  switch (routing::facts_of(verdict.command).changes) {
    case routing::catalog_change::none:
      return false;
    case routing::catalog_change::any:
      return true;
    case routing::catalog_change::of_listed:
      return verdict.judged != nullptr;
    case routing::catalog_change::depends_on_command:
      return std::ranges::find(moving_commands, name) != moving_commands.end();
  }
  return false;
}

}  // namespace scattergate::proxy
