#include "sim/storage/catalog_yaml.hpp"

#include "sim/values/bson_codec.hpp"

namespace scattergate::sim {
namespace {

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

std::string catalog_yaml(const cluster& of) {
  std::string out = "schemaVersion: 1\nversion: \"8.0\"\nunlisted: unsharded\n";
  std::string listed;
  for (const auto& [ns, each] : of.collections()) {
    if (each.spread) listed += collection_yaml(of, each);
  }
  return out + (listed.empty() ? "collections: []\n" : "collections:\n" + listed);
}

}  // namespace scattergate::sim
