// The part of cluster that sets and changes shard keys.

#include <algorithm>
#include <array>
#include <charconv>

#include "sim/storage/cluster.hpp"
#include "sim/storage/layout.hpp"
#include "sim/values/error.hpp"
#include "sim/values/identity.hpp"

namespace scattergate::sim {

std::optional<release> release_named(std::string_view name) {
  static const std::array<release, 8> known = {{{"4.4", 9},
                                                {"5.0", 13},
                                                {"6.0", 17},
                                                {"7.0", 21},
                                                {"8.0", 25},
                                                {"8.1", 26},
                                                {"8.2", 27},
                                                {"9.0", 29}}};
  constexpr std::size_t series_length = 3;
  const auto found = std::ranges::find(known, name.substr(0, series_length), &release::name);
  if (found == known.end()) return std::nullopt;
  release out = *found;
  if (name.size() == series_length) return out;
  const char* end = name.data() + name.size();
  const char* digits = name.data() + series_length + 1;
  if (name[series_length] != '.') return std::nullopt;
  const auto [after, error] = std::from_chars(digits, end, out.patch);
  return error == std::errc{} && after == end && out.patch >= 0 ? std::optional{out}
                                                                : std::nullopt;
}

std::set<shard_index> cluster::every_shard() const {
  std::set<shard_index> all;
  for (shard_index i = 0; i < shards_.size(); ++i) all.insert(i);
  return all;
}

collection& cluster::sharded(std::string_view ns) {
  collection* found = find(ns);
  if (found == nullptr || !found->spread) {
    throw command_failure(errc::namespace_not_sharded,
                          "Collection " + std::string{ns} + " is not sharded.");
  }
  return *found;
}

sharding cluster::spread_by(const collection& of, const shard_key& key, bool unique,
                            shard_index owner) {
  const std::string seed = "epoch " + of.ns + " " + std::to_string(++uuids_);
  return {key, chunk_map{key, owner}, unique, tick(), object_id_from(seed)};
}

void cluster::support(collection& of, const shard_key& key, bool unique) {
  const auto supports = [&key](const document& each) {
    return key.is_prefix_of(*each.find("key")->as<document>());
  };
  if (std::any_of(of.indexes.begin(), of.indexes.end(), supports)) return;
  std::string name;
  for (const auto& each : key.parts()) {
    name += (name.empty() ? "" : "_") + each.name + (each.is_hashed ? "_hashed" : "_1");
  }
  document made{{"v", std::int32_t{2}}, {"key", key.pattern()}, {"name", name}};
  if (unique) made.append("unique", true);
  create_index(of, made);
}

collection& cluster::refine(std::string_view ns, const document& key) {
  collection& of = sharded(ns);
  const shard_key longer{key};
  if (!of.spread->key.is_prefix_of(key)) {
    throw command_failure(errc::invalid_options,
                          "the new shard key must begin with the old one");
  }
  support(of, longer, of.spread->unique);
  const std::vector<chunk> before = of.spread->chunks.all();
  sharding next = spread_by(of, longer, of.spread->unique, before.front().owner);
  for (const chunk& each : before) {
    array position = each.min;
    position.resize(longer.parts().size(), value{min_key{}});
    next.chunks.split(position);
    next.chunks.move(position, each.owner);
  }
  of.spread = std::move(next);
  return of;
}

collection& cluster::reshard(std::string_view ns, const document& key, std::size_t chunks) {
  collection& of = sharded(ns);
  const shard_key other{key};
  support(of, other, false);
  of.spread = spread_by(of, other, false, primary_of(ns));
  of.uuid = uuid_from(of.ns + " " + std::to_string(++uuids_));
  redistribute(of, every_shard());
  lay_out_evenly(*this, of, chunks);
  return of;
}

void cluster::move_collection(std::string_view ns, shard_index to) {
  collection* found = find(ns);
  if (found == nullptr) {
    throw command_failure(errc::namespace_not_found,
                          "Collection " + std::string{ns} + " doesn't exist");
  }
  if (found->spread) {
    throw command_failure(errc::invalid_options,
                          "moveCollection takes an unsharded collection");
  }
  const shard_index from = home_of(ns);
  found->is_tracked = true;
  found->home = to;
  redistribute(*found, {from});
}

collection& cluster::unshard(std::string_view ns, shard_index to) {
  collection& of = sharded(ns);
  of.spread = spread_by(of, of.spread->key, false, to);
  redistribute(of, every_shard());
  of.spread.reset();
  of.is_tracked = true;
  of.home = to;
  of.uuid = uuid_from(of.ns + " " + std::to_string(++uuids_));
  return of;
}

}  // namespace scattergate::sim
