#include "tests/sim/agreement/series_layouts.hpp"

#include <string>

#include "tests/sim/from_json.hpp"

namespace scattergate::sim {
namespace {

constexpr std::int64_t hour = 3'600'000;

value time_at(std::int64_t hours) {
  return date{hours * hour};
}

/// Conditions that recombined commands are made of; a bucket spans an hour.
array cases() {
  static const char* const filters[] = {
      R"({"m": 1})",
      R"({"m": {"$in": [1, "b", 7]}})",
      R"({"m": {"a": 3, "b": 4}})",
      R"({"m": {"$type": "number"}})",
      R"({"m": {"$exists": true}})",
      R"({"m.a": 3})",
      R"({"m.a": {"$gt": 2}})",
      R"({"m.a": {"$lte": "k"}})",
      R"({"m.a": {"$exists": false}})",
      R"({"m.a": {"$mod": [2, 0]}})",
      R"({"m.b": "x"})",
      R"({"x": 5})",
      R"({"x": {"$gt": 5}})",
      R"({"x": {"$exists": true}})",
      R"({"x": {"$ne": 3}})",
      R"({"x": {"$elemMatch": {"$gt": 1}}})",
      R"({"_id": 1})",
      R"({"meta": 1})",
      R"({"meta": {"$in": [1, "b"]}})",
      R"({"meta.a": {"$gte": 3}})",
  };
  array out;
  const auto add = [&out](document filter) {
    out.push_back(
        document{{"command", document{{"find", "c"}, {"filter", std::move(filter)}}}});
  };
  for (const char* each : filters) add(from_json(each));
  for (const std::int64_t hours : {5, 10, 11, 19, 20, 30}) {
    add({{"t", time_at(hours)}});
    for (const char* name : {"$lt", "$lte", "$gt", "$gte"}) {
      add({{"t", document{{name, time_at(hours)}}}});
    }
  }
  for (const std::int64_t hours : {5, 20, 30}) {
    add({{"control.min.t", time_at(hours)}});
    add({{"control.min.t", document{{"$lt", time_at(hours)}}}});
  }
  add({{"t", date{10 * hour + 1000}}});
  add({{"t", document{{"$gt", date{20 * hour + 1000}}}}});
  add({{"t", document{{"$in", array{time_at(3), time_at(25)}}}}});
  add({{"t", document{{"$gte", time_at(12)}, {"$lt", time_at(13)}}}});
  for (const char* stage :
       {R"([{"$project": {"m": 1, "t": 1}}])", R"([{"$group": {"_id": "$m"}}])",
        R"([{"$addFields": {"n": "$m"}}])", R"([{"$sort": {"m": 1}}])",
        R"([{"$unwind": "$x"}])", R"([{"$limit": 3}])"}) {
    const document wrapped = from_json(std::string{R"({"p": )"} + stage + "}");
    out.push_back(
        document{{"command", document{{"aggregate", "c"}, {"pipeline", *wrapped.find("p")}}}});
  }
  return out;
}

/// A layout whose chunks begin at these positions, dealt out to shards in turn.
document layout_of(const document& key, const document& pattern,
                   const std::vector<array>& bounds, std::int32_t rounding_seconds = 60) {
  const auto bound = [&pattern](const array* position, const value& otherwise) {
    document out;
    std::size_t i = 0;
    for (const field& each : pattern) {
      out.append(each.name, position == nullptr    ? otherwise
                            : i < position->size() ? (*position)[i]
                                                   : value{min_key{}});
      ++i;
    }
    return out;
  };
  array chunks;
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    chunks.push_back(
        document{{"min", bound(i == 0 ? nullptr : &bounds[i - 1], min_key{})},
                 {"max", bound(i == bounds.size() ? nullptr : &bounds[i], max_key{})},
                 {"shard", "s" + std::to_string((i * 2 + 1) % 6)}});
  }
  return {{"shardKey", key},
          {"timeseries", document{{"timeField", "t"},
                                  {"metaField", "m"},
                                  {"bucketMaxSpanSeconds", std::int32_t{3600}},
                                  {"bucketRoundingSeconds", rounding_seconds}}},
          {"chunks", std::move(chunks)},
          {"cases", cases()}};
}

}  // namespace

std::vector<document> series_layouts() {
  const value up = std::int32_t{1};
  const value two = std::int32_t{2};
  const value four = std::int32_t{4};
  return {
      layout_of({{"t", up}}, {{"control.min.t", up}},
                {{time_at(10)}, {time_at(20)}, {time_at(30)}}),
      layout_of({{"m", up}}, {{"meta", up}}, {{two}, {four}, {"a"}, {document{}}}),
      layout_of({{"m.a", up}}, {{"meta.a", up}}, {{two}, {four}, {"a"}}),
      layout_of({{"m.a", up}, {"t", up}}, {{"meta.a", up}, {"control.min.t", up}},
                {{two}, {four, time_at(10)}, {four, time_at(20)}, {"a"}}),
      layout_of({{"m", up}, {"t", up}}, {{"meta", up}, {"control.min.t", up}},
                {{two, time_at(5)}, {four, time_at(12)}, {"a"}}),
      layout_of({{"t", up}}, {{"control.min.t", up}},
                {{time_at(10)}, {time_at(20)}, {time_at(30)}}, 3600),
  };
}

}  // namespace scattergate::sim
