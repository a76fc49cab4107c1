#include "sim/config_db.hpp"

namespace scattergate::sim {
namespace {

timestamp version_of(const chunk& of) {
  return {of.minor, of.major};
}

date date_of(const timestamp& when) {
  return {static_cast<std::int64_t>(when.seconds) * 1000};
}

std::vector<document> collections_of(const cluster& from) {
  std::vector<document> out;
  for (const auto& [ns, each] : from.collections()) {
    if (!each.spread) continue;
    document entry{{"_id", ns},
                   {"lastmodEpoch", each.spread->epoch},
                   {"lastmod", date_of(each.spread->created)},
                   {"timestamp", each.spread->created},
                   {"uuid", each.uuid},
                   {"key", each.spread->key.pattern()},
                   {"unique", each.spread->unique},
                   {"noBalance", false}};
    if (const value* collation = each.options.find("collation")) {
      entry.append("defaultCollation", *collation);
    }
    out.push_back(std::move(entry));
  }
  return out;
}

std::vector<document> chunks_of(const cluster& from) {
  std::vector<document> out;
  for (const auto& [ns, each] : from.collections()) {
    if (!each.spread) continue;
    for (const chunk& part : each.spread->chunks.all()) {
      const std::string& owner = from.shards()[part.owner].name;
      const document history{{"validAfter", each.spread->created}, {"shard", owner}};
      out.push_back({{"_id", part.id},
                     {"uuid", each.uuid},
                     {"min", each.spread->key.bound_of(part.min)},
                     {"max", each.spread->key.bound_of(part.max)},
                     {"shard", owner},
                     {"lastmod", version_of(part)},
                     {"onCurrentShardSince", each.spread->created},
                     {"history", array{history}}});
    }
  }
  return out;
}

std::vector<document> shards_of(const cluster& from) {
  std::vector<document> out;
  for (const shard& each : from.shards()) {
    out.push_back({{"_id", each.name},
                   {"host", each.host},
                   {"state", std::int32_t{1}},
                   {"topologyTime", timestamp{1, 1}},
                   {"replSetConfigVersion", std::int64_t{1}}});
  }
  return out;
}

std::vector<document> databases_of(const cluster& from) {
  std::vector<document> out;
  for (const auto& [name, each] : from.databases()) {
    if (name == "config" || name == "admin") continue;
    out.push_back({{"_id", name},
                   {"primary", from.shards()[each.primary].name},
                   {"version", document{{"uuid", each.uuid},
                                        {"timestamp", each.created},
                                        {"lastMod", std::int32_t{1}}}}});
  }
  return out;
}

}  // namespace

std::optional<std::vector<document>> config_collection(const cluster& from,
                                                       std::string_view ns) {
  if (!ns.starts_with("config.")) return std::nullopt;
  const std::string_view name = ns.substr(ns.find('.') + 1);
  if (name == "collections") return collections_of(from);
  if (name == "chunks") return chunks_of(from);
  if (name == "shards") return shards_of(from);
  if (name == "databases") return databases_of(from);
  if (name == "version") {
    return std::vector<document>{{{"_id", std::int32_t{1}}, {"clusterId", from.id()}}};
  }
  return std::nullopt;
}

}  // namespace scattergate::sim
