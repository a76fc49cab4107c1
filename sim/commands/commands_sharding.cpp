#include <array>

#include "sim/execution/arguments.hpp"
#include "sim/execution/command.hpp"
#include "sim/storage/cluster.hpp"
#include "sim/values/error.hpp"

/// enableSharding, shardCollection, split, moveChunk, and the simulator's own simShardStats.
namespace scattergate::sim {
namespace {

std::string admin_ns(const context& at) {
  if (at.in.db != "admin")
    refuse(errc::unauthorized, at.in.name + " may only be run against the admin database.");
  std::string ns = text_argument(at.in.body, at.in.name);
  static_cast<void>(split_ns(ns));
  return ns;
}

collection& sharded_collection(context& at) {
  const std::string ns = admin_ns(at);
  collection* found = at.all.data.find(ns);
  if (found == nullptr || !found->spread)
    refuse(errc::namespace_not_sharded, "Collection " + ns + " is not sharded.");
  return *found;
}

document run_enable_sharding(context& at) {
  at.all.data.ensure_database(text_argument(at.in.body, at.in.name));
  return {};
}

document run_shard_collection(context& at) {
  const std::string ns = admin_ns(at);
  check_no_view(at.all.data, ns);
  collection& made = at.all.data.shard_collection(ns, document_argument(at.in.body, "key"),
                                                  flag_argument(at.in.body, "unique"));
  std::int64_t chunks = number_argument(at.in.body, "numInitialChunks", 0);
  if (chunks == 0) chunks = default_chunks(made.spread->key, at.all.data.shards().size());
  constexpr std::int64_t most_chunks = 8192;
  if (chunks < 1 || chunks > most_chunks)
    refuse(errc::invalid_options, "numInitialChunks must be between 1 and 8192");
  lay_out_evenly(at.all.data, made, static_cast<std::size_t>(chunks));
  return {{"collectionsharded", ns}};
}

/// The position that a split or move specifies: by `find` (a document) or by `bounds[0]`.
array position_named(const context& at, const collection& of) {
  const shard_key& key = of.spread->key;
  if (at.in.body.has("find")) return key.position_of(document_argument(at.in.body, "find"));
  const array& bounds = array_argument(at.in.body, "bounds");
  const auto* lower = bounds.empty() ? nullptr : bounds.front().as<document>();
  if (lower == nullptr) refuse(errc::invalid_options, "need find or bounds to name a chunk");
  return key.position_from_bound(*lower);
}

document run_split(context& at) {
  collection& of = sharded_collection(at);
  const document& middle = document_argument(at.in.body, "middle");
  if (middle.empty()) refuse(errc::invalid_options, "the simulator splits at `middle` only");
  if (!of.spread->chunks.split(of.spread->key.position_from_bound(middle)))
    refuse(errc::invalid_options, "a chunk begins at that key already");
  return {};
}

document run_move_chunk(context& at) {
  collection& of = sharded_collection(at);
  const shard_index to = at.all.data.shard_named(text_argument(at.in.body, "to"));
  at.all.data.move_chunk(of, position_named(at, of), to);
  return {};
}

document run_refine(context& at) {
  at.all.data.refine(admin_ns(at), document_argument(at.in.body, "key"));
  return {};
}

document run_reshard(context& at) {
  const std::string ns = admin_ns(at);
  const document& key = document_argument(at.in.body, "key");
  const std::int64_t chunks = default_chunks(shard_key{key}, at.all.data.shards().size());
  at.all.data.reshard(ns, key, static_cast<std::size_t>(chunks));
  return {};
}

/// Only to the database's primary shard: the simulator has no other place for an unsharded
/// collection.
document run_unshard(context& at) {
  const std::string ns = admin_ns(at);
  const auto& databases = at.all.data.databases();
  const auto database = databases.find(split_ns(ns).db);
  const shard_index primary = database == databases.end() ? 0 : database->second.primary;
  const std::string to = text_argument(at.in.body, "toShard");
  at.all.data.unshard(ns, to.empty() ? primary : at.all.data.shard_named(to));
  return {};
}

document run_move_collection(context& at) {
  const std::string ns = admin_ns(at);
  at.all.data.move_collection(ns,
                              at.all.data.shard_named(text_argument(at.in.body, "toShard")));
  return {};
}

document run_shard_stats(context& at) {
  document out;
  for (const shard& each : at.all.data.shards()) {
    document counts;
    for (const auto& [command, count] : each.commands) counts.append(command, count);
    out.append(each.name, std::move(counts));
  }
  return {{"shards", std::move(out)}};
}

document run_list_shards(context& at) {
  array out;
  for (const shard& each : at.all.data.shards()) {
    out.emplace_back(
        document{{"_id", each.name}, {"host", each.host}, {"state", std::int32_t{1}}});
  }
  return {{"shards", std::move(out)}};
}

}  // namespace

std::span<const command_spec> sharding_commands() {
  static constexpr std::array all{
      command_spec{"enableSharding", run_enable_sharding},
      command_spec{"shardCollection", run_shard_collection},
      command_spec{"refineCollectionShardKey", run_refine},
      command_spec{"reshardCollection", run_reshard},
      command_spec{"unshardCollection", run_unshard},
      command_spec{"moveCollection", run_move_collection},
      command_spec{"split", run_split},
      command_spec{"moveChunk", run_move_chunk},
      command_spec{"listShards", run_list_shards},
      command_spec{"simShardStats", run_shard_stats},
  };
  return all;
}

}  // namespace scattergate::sim
