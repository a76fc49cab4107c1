#include "sim/storage/cluster.hpp"

#include <algorithm>

#include "sim/values/compare.hpp"
#include "sim/values/error.hpp"
#include "sim/values/identity.hpp"
#include "wire/limits.hpp"

namespace scattergate::sim {
namespace {

constexpr std::string_view buckets_prefix = "system.buckets.";

document id_index() {
  return {{"v", std::int32_t{2}},
          {"key", document{{"_id", std::int32_t{1}}}},
          {"name", "_id_"},
          {"unique", true}};
}

}  // namespace

ns_parts split_ns(std::string_view ns) {
  const std::size_t dot = ns.find('.');
  const bool too_long = ns.size() > wire::limits::max_namespace_bytes;
  if (dot == ns.npos || dot == 0 || dot + 1 == ns.size() || too_long ||
      ns.find('\0') != ns.npos || ns.substr(0, dot).find_first_of("/\\ \"$") != ns.npos) {
    throw command_failure(errc::invalid_namespace,
                          "Invalid namespace specified '" + std::string{ns} + "'");
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
  if (find(ns) != nullptr) {
    throw command_failure(errc::namespace_exists,
                          "Collection " + std::string{ns} + " already exists.");
  }
  ensure_database(parts.db);
  collection made;
  made.ns = ns;
  made.uuid = uuid_from(made.ns + " " + std::to_string(++uuids_));
  made.options = options;
  const value* series = options.find("timeseries");
  if (const auto* given = series == nullptr ? nullptr : series->as<document>()) {
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
  if (source == nullptr) {
    throw command_failure(errc::namespace_not_found, "Source collection does not exist");
  }
  if (split_ns(from).db != split_ns(to).db) {
    throw command_failure(errc::command_not_supported, "Rename across databases");
  }
  if (find(to) != nullptr && !drop_target) {
    throw command_failure(errc::namespace_exists, "target namespace exists");
  }
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
  throw command_failure(errc::shard_not_found, "Could not find shard " + std::string{name});
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
  if (unique && parsed.has_hashed_part()) {
    throw command_failure(errc::bad_value, "hashed shard keys cannot be declared unique.");
  }
  collection& target = ensure(ns);
  if (target.spread) {
    if (compare(target.spread->key.pattern(), parsed.pattern()) == 0) return target;
    throw command_failure(errc::already_initialized, "sharding already enabled for collection");
  }
  for (const document& each : target.indexes) {
    const value* flag = each.find("unique");
    const auto& index_key = *each.find("key")->as<document>();
    if (flag != nullptr && flag->is_truthy() && !may_be_unique(parsed, index_key)) {
      throw command_failure(
          errc::invalid_options,
          "can't shard collection '" + std::string{ns} + "' with unique index on another key");
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
  throw command_failure(errc::command_not_supported_on_view,
                        "Namespace " + std::string{ns} + " is a view, not a collection");
}

pipeline_source source_of(const cluster& in, std::string_view ns, array stages) {
  constexpr int most_views = 20;
  pipeline_source out{std::string{ns}, std::move(stages)};
  for (int depth = 0; is_view(in, out.ns); ++depth) {
    if (depth == most_views) {
      throw command_failure(static_cast<errc>(165), "View depth limit exceeded");
    }
    const document& view = in.find(out.ns)->options;
    if (const value* own = view.find("pipeline")) {
      const auto& before = *own->as<array>();
      out.stages.insert(out.stages.begin(), before.begin(), before.end());
    }
    out.ns = split_ns(out.ns).db + "." + *view.find("viewOn")->as<std::string>();
  }
  return out;
}

}  // namespace scattergate::sim
