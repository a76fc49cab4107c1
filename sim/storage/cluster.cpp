#include "sim/storage/cluster.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"
#include "wire/limits.hpp"

// The part of cluster that sets and changes shard keys.
namespace scattergate::sim {
namespace {

constexpr std::string_view buckets_prefix = "system.buckets.";

document id_index() {
  return {{"v", std::int32_t{2}},
          {"key", document{{"_id", std::int32_t{1}}}},
          {"name", "_id_"},
          {"unique", true}};
}

/// The `index`-th of `count - 1` split points over 64 bits.
std::uint64_t fraction(std::size_t index, std::size_t count) {
  const auto part = static_cast<long double>(index) / static_cast<long double>(count);
  return static_cast<std::uint64_t>(std::ldexp(part, 64));
}

value hash_split(std::size_t index, std::size_t count) {
  // Hashes are signed: the split points start at their least value.
  return static_cast<std::int64_t>(fraction(index, count) + (std::uint64_t{1} << 63U));
}

value object_id_split(std::size_t index, std::size_t count) {
  object_id id;
  const std::uint64_t head = fraction(index, count);
  for (std::size_t i = 0; i < 8; ++i) {
    id.bytes[i] = static_cast<std::uint8_t>(head >> (56 - 8 * i));
  }
  return id;
}

}  // namespace

ns_parts split_ns(std::string_view ns) {
  const std::size_t dot = ns.find('.');
  const bool too_long = ns.size() > wire::limits::max_namespace_bytes;
  if (dot == ns.npos || dot == 0 || dot + 1 == ns.size() || too_long ||
      ns.find('\0') != ns.npos || ns.substr(0, dot).find_first_of("/\\ \"$") != ns.npos) {
    refuse(errc::invalid_namespace, "Invalid namespace specified '" + std::string{ns} + "'");
  }
  return {std::string{ns.substr(0, dot)}, std::string{ns.substr(dot + 1)}};
}

std::string buckets_of_series(std::string_view ns) {
  const ns_parts parts = split_ns(ns);
  return parts.db + "." + std::string{buckets_prefix} + parts.name;
}

std::string series_of_buckets(std::string_view ns) {
  const std::size_t dot = ns.find('.');
  if (dot == ns.npos || !ns.substr(dot + 1).starts_with(buckets_prefix)) return {};
  return std::string{ns.substr(0, dot + 1)} +
         std::string{ns.substr(dot + 1 + buckets_prefix.size())};
}

cluster::cluster(std::size_t shard_count)
    : id_(object_id_from("cluster")),
      time_{0, static_cast<std::uint32_t>(now_millis() / 1000)} {
  for (std::size_t i = 1; i <= shard_count; ++i) {
    const std::string name = "shard" + std::to_string(i);
    shards_.push_back({name, name + "/" + name + ".sim.invalid:27018", {}, {}});
  }
}

collection* cluster::find(std::string_view ns) noexcept {
  const auto at = collections_.find(ns);
  if (at != collections_.end()) return &at->second;
  const std::string series = series_of_buckets(ns);
  if (series.empty() || simulated_release().has_viewless_series()) return nullptr;
  const auto measurements = collections_.find(series);
  const bool is_known = measurements != collections_.end() && measurements->second.series;
  return is_known ? &measurements->second : nullptr;
}

timestamp cluster::tick() {
  const auto seconds = static_cast<std::uint32_t>(now_millis() / 1000);
  if (seconds > time_.seconds) time_ = {0, seconds};
  ++time_.increment;
  return time_;
}

database& cluster::ensure_database(std::string_view db) {
  const auto at = databases_.find(db);
  if (at != databases_.end()) return at->second;
  database made{std::string{db}, 0, uuid_from("database " + std::string{db}), tick()};
  return databases_.emplace(std::string{db}, std::move(made)).first->second;
}

collection& cluster::create(std::string_view ns, const document& options) {
  const ns_parts parts = split_ns(ns);
  if (find(ns) != nullptr)
    refuse(errc::namespace_exists, "Collection " + std::string{ns} + " already exists.");
  ensure_database(parts.db);
  collection made;
  made.ns = ns;
  made.uuid = uuid_from(made.ns + " " + std::to_string(++uuids_));
  made.options = options;
  const value* series = options.find("timeseries");
  if (const auto* given = as<document>(series)) {
    made.series = time_series::from(*given);
  }
  made.indexes.push_back(id_index());
  return collections_.emplace(made.ns, std::move(made)).first->second;
}

collection& cluster::ensure(std::string_view ns) {
  check_no_view(*this, ns);
  collection* known = find(ns);
  return known != nullptr ? *known : create(ns, {});
}

bool cluster::drop(std::string_view ns) {
  for (shard& each : shards_) {
    const auto at = each.stores.find(ns);
    if (at != each.stores.end()) each.stores.erase(at);
  }
  const auto at = collections_.find(ns);
  if (at == collections_.end()) return false;
  if (at->second.spread) tombstones_.insert(at->first);
  collections_.erase(at);
  return true;
}

void cluster::drop_database(std::string_view db) {
  std::vector<std::string> gone;
  for (const auto& [ns, each] : collections_) {
    if (split_ns(ns).db == db) gone.push_back(ns);
  }
  for (const std::string& ns : gone) drop(ns);
  const auto at = databases_.find(db);
  if (at != databases_.end()) databases_.erase(at);
}

void cluster::rename(std::string_view from, std::string_view to, bool drop_target) {
  const collection* source = find(from);
  if (source == nullptr) refuse(errc::namespace_not_found, "Source collection does not exist");
  if (split_ns(from).db != split_ns(to).db)
    refuse(errc::command_not_supported, "Rename across databases");
  if (find(to) != nullptr && !drop_target)
    refuse(errc::namespace_exists, "target namespace exists");
  collection moved = *source;
  moved.ns = to;
  drop(to);
  for (shard& each : shards_) {
    const auto at = each.stores.find(from);
    if (at == each.stores.end()) continue;
    auto documents = std::move(at->second);
    each.stores.erase(at);
    each.stores.emplace(moved.ns, std::move(documents));
  }
  drop(from);
  tombstones_.erase(moved.ns);
  collections_.emplace(moved.ns, std::move(moved));
}

shard_index cluster::primary_of(std::string_view ns) const {
  const auto at = databases_.find(ns.substr(0, ns.find('.')));
  return at == databases_.end() ? 0 : at->second.primary;
}

shard_index cluster::home_of(std::string_view ns) const {
  const auto at = collections_.find(ns);
  const bool is_moved = at != collections_.end() && at->second.home.has_value();
  return is_moved ? *at->second.home : primary_of(ns);
}

target cluster::target_of(const collection* of, std::string_view ns, const filter_node& filter,
                          bool compares_simply, bool trusts_hashes) const {
  if (of == nullptr || !of->spread) return {{home_of(ns)}, true};
  targeting_rules rules = rules_of(release_.name);
  if (trusts_hashes) rules.sees_collated_hashes = false;
  return sim::target_of(filter, of->spread->key, of->spread->chunks, {compares_simply, rules});
}

std::set<shard_index> cluster::owners(const collection* of, std::string_view ns) const {
  if (of == nullptr || !of->spread) return {home_of(ns)};
  return of->spread->chunks.owners();
}

shard_index cluster::place_of(const collection& of, const document& content) const {
  if (!of.spread) return home_of(of.ns);
  return of.spread->chunks.at(of.spread->key.position_of(content)).owner;
}

std::shared_ptr<store> cluster::store_of(shard_index shard, const collection& of) {
  auto& stores = shards_[shard].stores;
  const auto at = stores.find(of.ns);
  if (at != stores.end()) return at->second;
  return stores.emplace(of.ns, std::make_shared<store>(of.indexes)).first->second;
}

shard_index cluster::shard_named(std::string_view name) const {
  for (shard_index i = 0; i < shards_.size(); ++i) {
    if (shards_[i].name == name || shards_[i].host == name) return i;
  }
  refuse(errc::shard_not_found, "Could not find shard " + std::string{name});
}

bool may_be_unique(const shard_key& key, const document& index_key) {
  if (index_key.front().name == "_id") return true;
  const auto& parts = key.parts();
  return parts.size() <= index_key.size() &&
         std::equal(parts.begin(), parts.end(), index_key.begin(),
                    [](const auto& part, const field& each) { return part.name == each.name; });
}

collection& cluster::shard_collection(std::string_view ns, const document& key, bool unique) {
  const collection* known = find(ns);
  const bool is_series = known != nullptr && known->series;
  const shard_key parsed{is_series ? known->series->pattern_of_buckets(key) : key};
  if (unique && parsed.has_hashed_part())
    refuse("hashed shard keys cannot be declared unique.");
  collection& target = ensure(ns);
  if (target.spread) {
    if (compare(target.spread->key.pattern(), parsed.pattern()) == 0) return target;
    refuse(errc::already_initialized, "sharding already enabled for collection");
  }
  for (const document& each : target.indexes) {
    const value* flag = each.find("unique");
    const auto& index_key = *each.find("key")->as<document>();
    if (flag != nullptr && flag->is_truthy() && !may_be_unique(parsed, index_key)) {
      refuse(errc::invalid_options, "can't shard collection '" + std::string{ns} +
                                        "' with unique index on another key");
    }
  }
  if (!is_series) support(target, parsed, unique);
  target.spread = spread_by(target, parsed, unique, home_of(ns));
  target.is_tracked = false;
  target.home.reset();
  tombstones_.erase(target.ns);
  return target;
}

void cluster::redistribute(collection& of, std::set<shard_index> from) {
  unit_of_work unit;
  const matcher everything{document{}};
  for (const shard_index each : from) {
    const auto source = store_of(each, of);
    for (const auto& [id, content] : source->find({}, everything, unit)) {
      const shard_index to = place_of(of, *content);
      if (to == each) continue;
      store_of(to, of)->insert(content, unit);
      source->remove(id, unit);
    }
  }
  unit.commit();
}

void cluster::move_chunk(collection& of, const array& position, shard_index to) {
  const shard_index from = of.spread->chunks.at(position).owner;
  of.spread->chunks.move(position, to);
  try {
    redistribute(of, {from});
  } catch (...) {
    // Duplicate _ids exist there, or a transaction holds a document: the chunk stays.
    of.spread->chunks.move(position, from);
    throw;
  }
}

void cluster::create_index(collection& on, const document& specification) {
  std::vector<std::shared_ptr<store>> built;
  const std::string& name = *specification.find("name")->as<std::string>();
  try {
    for (shard& each : shards_) {
      const auto at = each.stores.find(on.ns);
      if (at == each.stores.end()) continue;  // it will be created with all indexes
      at->second->create_index(specification);
      built.push_back(at->second);
    }
  } catch (...) {
    for (const auto& documents : built) documents->drop_index(name);
    throw;
  }
  on.indexes.push_back(specification);
}

void cluster::drop_index(collection& on, std::string_view name) {
  std::erase_if(on.indexes, [name](const document& each) {
    return *each.find("name")->as<std::string>() == name;
  });
  for (shard& each : shards_) {
    const auto at = each.stores.find(on.ns);
    if (at != each.stores.end()) at->second->drop_index(name);
  }
}

bool is_view(const cluster& in, std::string_view ns) noexcept {
  const collection* found = in.find(ns);
  return found != nullptr && found->options.has("viewOn");
}

void check_no_view(const cluster& in, std::string_view ns) {
  if (!is_view(in, ns)) return;
  refuse(errc::command_not_supported_on_view,
         "Namespace " + std::string{ns} + " is a view, not a collection");
}

pipeline_source source_of(const cluster& in, std::string_view ns, array stages) {
  constexpr int most_views = 20;
  pipeline_source out{std::string{ns}, std::move(stages)};
  for (int depth = 0; is_view(in, out.ns); ++depth) {
    if (depth == most_views) refuse(165, "View depth limit exceeded");
    const document& view = in.find(out.ns)->options;
    if (const value* own = view.find("pipeline")) {
      const auto& before = *own->as<array>();
      out.stages.insert(out.stages.begin(), before.begin(), before.end());
    }
    out.ns = split_ns(out.ns).db + "." + *view.find("viewOn")->as<std::string>();
  }
  return out;
}

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
  if (found == nullptr || !found->spread)
    refuse(errc::namespace_not_sharded, "Collection " + std::string{ns} + " is not sharded.");
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
  if (!of.spread->key.is_prefix_of(key))
    refuse(errc::invalid_options, "the new shard key must begin with the old one");
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
  if (found == nullptr)
    refuse(errc::namespace_not_found, "Collection " + std::string{ns} + " doesn't exist");
  if (found->spread)
    refuse(errc::invalid_options, "moveCollection takes an unsharded collection");
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

std::int64_t default_chunks(const shard_key& key, std::size_t shards) {
  return key.parts().front().is_hashed ? static_cast<std::int64_t>(2 * shards) : 1;
}

void lay_out_evenly(cluster& data, collection& of, std::size_t count) {
  sharding& spread = *of.spread;
  const bool hashed = spread.key.parts().front().is_hashed;
  for (std::size_t i = 1; i < count; ++i) {
    array position(spread.key.parts().size(), value{min_key{}});
    position.front() = hashed ? hash_split(i, count) : object_id_split(i, count);
    spread.chunks.split(position);
  }
  const std::vector<chunk> chunks = spread.chunks.all();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const shard_index to = i * data.shards().size() / chunks.size();
    if (chunks.size() > 1) data.move_chunk(of, chunks[i].min, to);
  }
}

namespace {

struct preset_collection {
  const char* name;
  const char* key_field;  ///< nullptr: unsharded
  bool hashed;
  const char* second_hashed;          ///< a hashed second field, or nullptr
  std::array<const char*, 3> unique;  ///< the unique index, nullptr-padded
};

/// mission.md, "Source 1": v0.6.38. The key of clients is {project_id: 1, _id: "hashed"}.
constexpr std::array yorkie{
    preset_collection{"users", nullptr, false, nullptr, {}},
    preset_collection{"projects", nullptr, false, nullptr, {}},
    preset_collection{"clients", "project_id", false, "_id", {}},
    preset_collection{
        "documents", "project_id", false, nullptr, {"project_id", "key", "removed_at"}},
    preset_collection{"schemas", "project_id", false, nullptr, {}},
    preset_collection{"changes", "doc_id", true, nullptr, {"doc_id", "server_seq"}},
    preset_collection{"snapshots", "doc_id", true, nullptr, {"doc_id", "server_seq"}},
    preset_collection{"versionvectors", "doc_id", true, nullptr, {"doc_id", "client_id"}},
    preset_collection{"revisions", "doc_id", true, nullptr, {}},
};

void add_unique_index(cluster& data, collection& on, const preset_collection& of) {
  document key;
  std::string name;
  for (const char* each : of.unique) {
    if (each == nullptr) continue;
    key.append(each, std::int32_t{1});
    name += std::string{name.empty() ? "" : "_"} + each + "_1";
  }
  if (key.empty()) return;
  data.create_index(on,
                    {{"v", std::int32_t{2}}, {"key", key}, {"name", name}, {"unique", true}});
}

void add_collection(cluster& data, const preset_collection& of) {
  const std::string ns = std::string{"yorkie-meta."} + of.name;
  if (of.key_field == nullptr) {
    data.create(ns, {});
    return;
  }
  document key{{of.key_field, of.hashed ? value{"hashed"} : value{std::int32_t{1}}}};
  if (of.second_hashed != nullptr) key.append(of.second_hashed, "hashed");
  collection& made = data.shard_collection(ns, key, false);
  constexpr std::size_t chunks_per_shard = 2;
  lay_out_evenly(data, made, chunks_per_shard * data.shards().size());
  add_unique_index(data, made, of);
}

}  // namespace

bool apply_preset(cluster& data, std::string_view preset) {
  if (preset != "yorkie") return false;
  for (const preset_collection& each : yorkie) add_collection(data, each);
  return true;
}

}  // namespace scattergate::sim
