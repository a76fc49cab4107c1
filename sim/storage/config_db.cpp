#include "sim/storage/config_db.hpp"

#include "sim/values/bson_codec.hpp"
#include "sim/values/hashing.hpp"

namespace scattergate::sim {
namespace {

timestamp version_of(const chunk& of) {
  return {of.minor, of.major};
}

date date_of(const timestamp& when) {
  return {static_cast<std::int64_t>(when.seconds) * 1000};
}

/// The sharded namespace: for a time series, that of its buckets.
std::string sharded_ns(const cluster& from, const collection& each) {
  const bool is_itself = !each.series || from.simulated_release().has_viewless_series();
  return is_itself ? each.ns : buckets_of_series(each.ns);
}

document series_fields(const time_series& of) {
  document out{{"timeField", of.time_field}};
  if (!of.meta_field.empty()) out.append("metaField", of.meta_field);
  out.append("bucketMaxSpanSeconds", static_cast<std::int32_t>(of.span_seconds));
  out.append("bucketRoundingSeconds", static_cast<std::int32_t>(of.rounding_seconds));
  return out;
}

document collection_entry(const cluster& from, const collection& each) {
  const sharding& spread = *each.spread;
  document entry{{"_id", sharded_ns(from, each)},
                 {"lastmodEpoch", spread.epoch},
                 {"lastmod", date_of(spread.created)}};
  if (from.simulated_release().is_since("5.0")) {
    entry.append("timestamp", spread.created);
  } else {
    entry.append("dropped", false);
  }
  entry.append("uuid", each.uuid);
  entry.append("key", spread.key.pattern());
  entry.append("unique", spread.unique);
  entry.append("noBalance", false);
  if (const value* collation = each.options.find("collation")) {
    entry.append("defaultCollation", *collation);
  }
  if (each.series) entry.append("timeseriesFields", series_fields(*each.series));
  return entry;
}

/// For a tracked collection on one shard.
document tracked_entry(const collection& each) {
  return {{"_id", each.ns},     {"lastmodEpoch", object_id_from("epoch " + each.ns)},
          {"lastmod", date{0}}, {"timestamp", timestamp{1, 1}},
          {"uuid", each.uuid},  {"key", document{{"_id", std::int32_t{1}}}},
          {"unique", false},    {"unsplittable", true}};
}

std::vector<document> collections_of(const cluster& from) {
  std::vector<document> out;
  for (const auto& [ns, each] : from.collections()) {
    if (each.spread) {
      out.push_back(collection_entry(from, each));
    } else if (each.is_tracked && from.simulated_release().is_since("8.0")) {
      out.push_back(tracked_entry(each));
    }
  }
  if (from.simulated_release().is_since("5.0")) return out;
  for (const std::string& ns : from.tombstones()) {
    out.push_back(
        {{"_id", ns}, {"lastmodEpoch", object_id{}}, {"lastmod", date{0}}, {"dropped", true}});
  }
  return out;
}

/// The only chunk of a tracked unsharded collection.
document whole_chunk(const cluster& from, const collection& each) {
  const std::string& owner = from.shards()[from.home_of(each.ns)].name;
  return {{"_id", object_id_from("chunk " + each.ns)},
          {"uuid", each.uuid},
          {"min", document{{"_id", min_key{}}}},
          {"max", document{{"_id", max_key{}}}},
          {"shard", owner},
          {"lastmod", timestamp{0, 1}},
          {"onCurrentShardSince", timestamp{1, 1}},
          {"history", array{document{{"validAfter", timestamp{1, 1}}, {"shard", owner}}}}};
}

std::vector<document> chunks_of(const cluster& from) {
  std::vector<document> out;
  const release& as = from.simulated_release();
  for (const auto& [ns, each] : from.collections()) {
    if (!each.spread) {
      if (each.is_tracked && as.is_since("8.0")) out.push_back(whole_chunk(from, each));
      continue;
    }
    for (const chunk& part : each.spread->chunks.all()) {
      const std::string& owner = from.shards()[part.owner].name;
      const document history{{"validAfter", each.spread->created}, {"shard", owner}};
      document entry{{"_id", part.id}};
      if (as.is_since("5.0")) {
        entry.append("uuid", each.uuid);
      } else {
        entry.append("ns", sharded_ns(from, each));
        entry.append("lastmodEpoch", each.spread->epoch);
      }
      entry.append("min", each.spread->key.bound_from_position(part.min));
      entry.append("max", each.spread->key.bound_from_position(part.max));
      entry.append("shard", owner);
      entry.append("lastmod", version_of(part));
      if (as.is_since("7.0")) entry.append("onCurrentShardSince", each.spread->created);
      entry.append("history", array{history});
      out.push_back(std::move(entry));
    }
  }
  return out;
}

std::vector<document> shards_of(const cluster& from) {
  std::vector<document> out;
  for (const shard& each : from.shards()) {
    document entry{{"_id", each.name}, {"host", each.host}, {"state", std::int32_t{1}}};
    if (from.simulated_release().is_since("5.0")) entry.append("topologyTime", timestamp{1, 1});
    out.push_back(std::move(entry));
  }
  return out;
}

std::vector<document> databases_of(const cluster& from) {
  std::vector<document> out;
  for (const auto& [name, each] : from.databases()) {
    if (name == "config" || name == "admin") continue;
    document version{{"uuid", each.uuid}};
    const bool is_new = from.simulated_release().is_since("5.0");
    if (is_new) version.append("timestamp", each.created);
    version.append("lastMod", std::int32_t{1});
    document entry{{"_id", name}, {"primary", from.shards()[each.primary].name}};
    if (!is_new) entry.append("partitioned", true);
    entry.append("version", std::move(version));
    out.push_back(std::move(entry));
  }
  return out;
}

/// A double-quoted string in YAML, whose escapes are JSON's.
std::string in_quotes(const std::string& text) {
  const std::string json = to_json({{"v", text}});
  const std::size_t from = json.find(": ") + 2;
  return json.substr(from, json.rfind('"') + 1 - from);
}

std::string collection_yaml(const cluster& of, const collection& each) {
  const sharding& spread = *each.spread;
  const bool has_buckets = each.series && !of.simulated_release().has_viewless_series();
  std::string out =
      "  - namespace: " + in_quotes(has_buckets ? buckets_of_series(each.ns) : each.ns) + "\n";
  out += "    shardKey: " + to_json(spread.key.pattern()) + "\n";
  out += std::string{"    unique: "} + (spread.unique ? "true" : "false") + "\n";
  const value* collation = each.options.find("collation");
  if (collation != nullptr && collation->is<document>()) {
    out += "    collation: " + to_json(*collation->as<document>()) + "\n";
  }
  if (each.series) {
    document series{{"timeField", each.series->time_field}};
    if (!each.series->meta_field.empty()) series.append("metaField", each.series->meta_field);
    series.append("bucketMaxSpanSeconds", each.series->span_seconds);
    series.append("bucketRoundingSeconds", each.series->rounding_seconds);
    out += "    timeseries: " + to_json(series, true) + "\n";
  }
  out += "    chunks:\n";
  for (const chunk& part : spread.chunks.all()) {
    out += "      - " +
           to_json({{"min", spread.key.bound_from_position(part.min)},
                    {"max", spread.key.bound_from_position(part.max)},
                    {"shard", of.shards()[part.owner].name}},
                   true) +
           "\n";
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

std::string catalog_yaml(const cluster& of) {
  std::string out = "schemaVersion: 1\nversion: \"8.0\"\nunlisted: unsharded\n";
  std::string listed;
  for (const auto& [ns, each] : of.collections()) {
    if (each.spread) listed += collection_yaml(of, each);
  }
  return out + (listed.empty() ? "collections: []\n" : "collections:\n" + listed);
}

}  // namespace scattergate::sim
