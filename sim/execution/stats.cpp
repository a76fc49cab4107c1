#include "sim/execution/stats.hpp"

#include "sim/execution/arguments.hpp"
#include "sim/execution/router.hpp"
#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"

namespace scattergate::sim {
namespace {

struct sizes {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

sizes sizes_on(const shard& where, const std::string& ns) {
  const auto at = where.stores.find(ns);
  if (at == where.stores.end()) return {};
  return {static_cast<std::int64_t>(at->second->size()),
          static_cast<std::int64_t>(at->second->size_bytes())};
}

void add_sizes(const collection& of, const sizes& all, std::int64_t scale, document& to) {
  if (scale < 1) refuse("scale must be at least 1");
  to.append("count", all.count);
  to.append("size", all.bytes / scale);
  to.append("storageSize", all.bytes / scale);
  to.append("totalIndexSize", std::int64_t{0});
  to.append("nindexes", static_cast<std::int32_t>(of.indexes.size()));
  if (all.count > 0) to.append("avgObjSize", all.bytes / all.count);
}

const collection& known_collection(context& at, const std::string& ns) {
  const collection* found = at.all.data.find(ns);
  if (found == nullptr)
    refuse(errc::namespace_not_found, "Collection '" + ns + "' does not exist.");
  return *found;
}

}  // namespace

document run_coll_stats(context& at) {
  const std::string ns = at.ns();
  const collection& of = known_collection(at, ns);
  const auto owners = at.all.data.owners(&of, ns);
  note_reached(at, owners, at.in.name);
  sizes all;
  document shards;
  for (const shard_index each : owners) {
    const shard& where = at.all.data.shards()[each];
    const sizes one = sizes_on(where, ns);
    all.count += one.count;
    all.bytes += one.bytes;
    shards.append(where.name, document{{"count", one.count}, {"size", one.bytes}});
  }
  document out{{"ns", ns}, {"sharded", of.spread.has_value()}};
  add_sizes(of, all, number_argument(at.in.body, "scale", 1), out);
  out.append("shards", std::move(shards));
  return out;
}

documents coll_stats_by_shard(context& at, const std::string& ns, const document& stage) {
  const document& options = stage_document("$collStats", stage.front().content);
  const collection& of = known_collection(at, ns);
  const auto owners = at.all.data.owners(&of, ns);
  note_reached(at, owners, at.in.name);
  documents out;
  for (const shard_index each : owners) {
    const shard& where = at.all.data.shards()[each];
    const sizes one = sizes_on(where, ns);
    document made{{"ns", ns}, {"shard", where.name}, {"host", where.host}};
    made.append("localTime", date{now_millis()});
    if (options.has("latencyStats")) made.append("latencyStats", document{});
    if (options.has("storageStats")) {
      document storage;
      add_sizes(of, one,
                number_argument(document_argument(options, "storageStats"), "scale", 1),
                storage);
      made.append("storageStats", std::move(storage));
    }
    if (options.has("count")) made.append("count", one.count);
    out.push_back(std::make_shared<const document>(std::move(made)));
  }
  return out;
}

document run_db_stats(context& at) {
  sizes all;
  std::int64_t collections = 0;
  std::int64_t indexes = 0;
  for (const auto& [ns, each] : at.all.data.collections()) {
    if (split_ns(ns).db != at.in.db) continue;
    ++collections;
    indexes += std::ssize(each.indexes);
    for (const shard& where : at.all.data.shards()) {
      const sizes one = sizes_on(where, ns);
      all.count += one.count;
      all.bytes += one.bytes;
    }
  }
  return {{"db", at.in.db},        {"collections", collections}, {"objects", all.count},
          {"dataSize", all.bytes}, {"storageSize", all.bytes},   {"indexes", indexes}};
}

}  // namespace scattergate::sim
