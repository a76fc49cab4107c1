#include "sim/execution/stats.hpp"

#include "sim/execution/router.hpp"
#include "sim/values/error.hpp"

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

const collection& known_collection(context& at, const std::string& ns) {
  const collection* found = at.all.data.find(ns);
  if (found == nullptr) {
    throw command_failure(errc::namespace_not_found, "Collection '" + ns + "' does not exist.");
  }
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
  document out{{"ns", ns},
               {"sharded", of.spread.has_value()},
               {"count", all.count},
               {"size", all.bytes},
               {"storageSize", all.bytes},
               {"nindexes", static_cast<std::int32_t>(of.indexes.size())},
               {"shards", std::move(shards)}};
  if (all.count > 0) out.append("avgObjSize", all.bytes / all.count);
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

document run_validate(context& at) {
  const std::string ns = at.ns();
  const collection& of = known_collection(at, ns);
  const auto owners = at.all.data.owners(&of, ns);
  note_reached(at, owners, at.in.name);
  std::int64_t records = 0;
  for (const shard_index each : owners)
    records += sizes_on(at.all.data.shards()[each], ns).count;
  return {{"ns", ns}, {"valid", true}, {"nrecords", records}, {"errors", array{}}};
}

}  // namespace scattergate::sim
