#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The records of the `config` database for one test cluster, in the format of each version of
/// MongoDB.
namespace scattergate::tests {

/// The records of a `config` database, in Extended JSON.
struct config_texts {
  std::vector<std::string> collections, chunks, shards, databases, version;
  std::string build;  ///< the version in the reply to buildInfo
};

/// A sharded collection of the test cluster.
struct described {
  std::string ns;
  std::string key;    ///< the shard key as JSON: {...}
  char mark = 'a';    ///< a letter that determines the UUID and the epoch
  std::string extra;  ///< further fields of the record as JSON, each after a comma
};

/// A UUID that depends only on `mark`, as Extended JSON.
inline std::string uuid_text(char mark) {
  // In base64: the letter repeated, and a fixed ending.
  return std::string(R"({"$binary": {"base64": ")") + std::string(20, mark) +
         R"(AA==", "subType": "04"}})";
}

/// An ObjectId that depends only on `mark`, as Extended JSON.
inline std::string epoch_text(char mark) {
  const std::string digit(1, static_cast<char>('0' + (mark - 'a') % 10));
  std::string text = R"({"$oid": "5f0000000000000000000)";
  return text + digit + digit + "1\"}";
}

/// Whether a version is earlier than another one. REQUIRES: both are one of "4.4" to "8.2".
inline bool is_before(std::string_view version, std::string_view other) {
  return version < other;
}

/// A record of config.collections for a collection, as `version` writes it.
inline std::string collection_text(std::string_view version, const described& of) {
  std::string text = R"({"_id": ")" + of.ns + R"(", "lastmodEpoch": )" + epoch_text(of.mark) +
                     R"(, "lastmod": {"$date": "2024-05-01T10:00:00Z"}, "uuid": )" +
                     uuid_text(of.mark) + R"(, "key": )" + of.key + R"(, "noBalance": false)";
  if (of.extra.find("unique") == std::string::npos) text += R"(, "unique": false)";
  if (is_before(version, "5.0")) {
    text += R"(, "dropped": false, "distributionMode": "sharded")";
  } else {
    text +=
        R"(, "timestamp": {"$timestamp": {"t": 1700000000, "i": 7}}, "allowMigrations": true)";
  }
  if (!is_before(version, "7.0")) text += R"(, "enableAutoMerge": true)";
  if (version == "6.0" || version == "7.0") {
    text += R"(, "indexVersion": {"$timestamp": {"t": 1, "i": 1}})";
  }
  return text + of.extra + "}";
}

/// A record of config.chunks for a collection's chunk, as `version` writes it. `min` and
/// `max`: the bounds as JSON. `major` and `minor`: the chunk's version.
inline std::string chunk_text(std::string_view version, const described& of,
                              const std::string& min, const std::string& max,
                              const std::string& shard, int major, int minor) {
  const std::string number = std::to_string(major) + std::to_string(minor);
  std::string text = R"({"_id": {"$oid": "6600000000000000000000)" +
                     (number.size() < 2 ? "0" + number : number.substr(0, 2)) + R"("}, )";
  if (is_before(version, "5.0")) {
    text += R"("ns": ")" + of.ns + R"(", "lastmodEpoch": )" + epoch_text(of.mark) + ", ";
  } else {
    text += R"("uuid": )" + uuid_text(of.mark) + ", ";
  }
  text += R"("min": )" + min + R"(, "max": )" + max + R"(, "shard": ")" + shard +
          R"(", "lastmod": {"$timestamp": {"t": )" + std::to_string(major) + R"(, "i": )" +
          std::to_string(minor) +
          R"(}}, "history": [{"validAfter": {"$timestamp": {"t": 1, "i": 1}}, "shard": ")" +
          shard + R"("}])";
  if (!is_before(version, "6.0")) text += R"(, "estimatedDataSizeBytes": {"$numberLong": "9"})";
  if (!is_before(version, "7.0")) {
    text += R"(, "onCurrentShardSince": {"$timestamp": {"t": 1, "i": 1}})";
  }
  if (version == "4.4") text += R"(, "jumbo": true)";
  return text + "}";
}

/// The sharded collections shop.orders and shop.people, which every version has.
inline const described orders{"shop.orders", R"({"customer": 1, "_id": "hashed"})", 'a', ""};
inline const described people{
    "shop.people", R"({"name": {"$numberDouble": "1.0"}})", 'b',
    R"(, "unique": true, "defaultCollation": {"locale": "de", "strength": 2, "version": "57.1"})"};

/// The cluster's records in the format of `version` ("4.4", "5.0", "6.0", "7.0", "8.0" or
/// "8.2"): shop.orders on two shards, shop.people on one shard, and special collections.
/// In 4.4: a dropped one. Since 5.0: one being resharded, and a temporary one of resharding.
/// Since 6.0: the buckets of a time series. Since 8.0: an unsharded one.
inline config_texts cluster_of(std::string_view version) {
  config_texts made;
  made.build = std::string(version) + ".3";
  made.collections = {collection_text(version, orders), collection_text(version, people)};
  const auto add = [&](const described& of, const char* min, const char* max, const char* shard,
                       int major, int minor) {
    made.chunks.push_back(chunk_text(version, of, min, max, shard, major, minor));
  };
  constexpr auto least = R"({"customer": {"$minKey": 1}, "_id": {"$minKey": 1}})";
  constexpr auto middle = R"({"customer": 50, "_id": {"$minKey": 1}})";
  constexpr auto most = R"({"customer": {"$maxKey": 1}, "_id": {"$maxKey": 1}})";
  add(orders, middle, most, "shard2", 2, 0);
  add(orders, least, middle, "shard1", 2, 1);
  add(people, R"({"name": {"$minKey": 1}})", R"({"name": {"$maxKey": 1}})", "shard1", 1, 0);
  if (is_before(version, "5.0")) {
    made.collections.push_back(
        R"({"_id": "shop.gone", "lastmodEpoch": {"$oid": "000000000000000000000000"},
            "lastmod": {"$date": "2024-05-01T10:00:00Z"}, "dropped": true})");
  } else {
    const described copy{"shop.system.resharding.1f", R"({"b": 1})", 'c', ""};
    made.collections.push_back(collection_text(version, copy));
    add(copy, R"({"b": {"$minKey": 1}})", R"({"b": {"$maxKey": 1}})", "shard3", 1, 0);
    const described resharded{
        "shop.carts", R"({"a": 1})", 'd',
        R"(, "reshardingFields": {"state": "cloning", "donorFields": {}})"};
    made.collections.push_back(collection_text(version, resharded));
    add(resharded, R"({"a": {"$minKey": 1}})", R"({"a": {"$maxKey": 1}})", "shard3", 1, 0);
  }
  if (!is_before(version, "6.0")) {
    const described buckets{
        "shop.system.buckets.weather", R"({"meta.place": 1})", 'e',
        R"(, "timeseriesFields": {"timeField": "at", "metaField": "place"})"};
    made.collections.push_back(collection_text(version, buckets));
    add(buckets, R"({"meta.place": {"$minKey": 1}})", R"({"meta.place": {"$maxKey": 1}})",
        "shard1", 1, 0);
  }
  if (!is_before(version, "8.0")) {
    const described moved{"shop.moved", R"({"_id": 1})", 'f', R"(, "unsplittable": true)"};
    made.collections.push_back(collection_text(version, moved));
    add(moved, R"({"_id": {"$minKey": 1}})", R"({"_id": {"$maxKey": 1}})", "shard2", 1, 0);
  }
  for (const char* shard : {"shard1", "shard2", "shard3"}) {
    made.shards.push_back(std::string(R"({"_id": ")") + shard + R"(", "host": ")" + shard +
                          R"(/h1:27018,h2:27018", "state": 1})");
  }
  made.databases = {R"({"_id": "shop", "primary": "shard2", "partitioned": true})"};
  made.version = {R"({"_id": 1, "clusterId": {"$oid": "64b000000000000000000001"}})"};
  return made;
}

}  // namespace scattergate::tests
