#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

// Sharded time series. The expected shards and bounds are those of mongos's own tests:
// jstests/sharding/timeseries/timeseries_query.js, timeseries_insert.js,
// timeseries_time_value_rounding.js, timeseries_delete_multi.js, timeseries_update.js; and
// what its sources say: bucket_spec.cpp, collection_routing_info_targeter.cpp.
namespace scattergate::routing_tests {
namespace {

using routing::routing_class;

constexpr auto hours = R"({"time": "time", "meta": "hostid", "span": 2592000})";

/// timeseries_query.js: one split, what lies below it on shard 0 and the rest on shard 1.
std::shared_ptr<const routing::catalog> series(const std::string& key, const std::string& split,
                                               const std::string& version = "8.0") {
  return catalog_of(R"({"version": ")" + version + R"(", "collections": [
      {"ns": "db.system.buckets.c", "key": )" +
                    key + R"(, "timeSeries": )" + hours + R"(, "splits": [)" + split +
                    R"(], "shards": ["0", "1"]},
      {"ns": "db.seen", "viewOn": "c", "pipeline": [{"$match": {"hostid": 1}}]}]})");
}

std::shared_ptr<const routing::catalog> by_time(const std::string& version = "8.0") {
  return series(R"({"control.min.time": 1})",
                R"({"control.min.time": {"$date": "2020-01-01T00:00:00Z"}})", version);
}

std::shared_ptr<const routing::catalog> by_meta_and_time() {
  return series(R"({"meta": 1, "control.min.time": 1})",
                R"({"meta": 0, "control.min.time": {"$date": "2020-01-01T00:00:00Z"}})");
}

std::shared_ptr<const routing::catalog> by_parts_of_meta(const std::string& version = "8.0") {
  return series(R"({"meta.prefix": 1, "meta.suffix": 1})",
                R"({"meta.prefix": 0, "meta.suffix": 0})", version);
}

/// With days written as @2020-01-21.
std::string with_dates(std::string text) {
  for (std::size_t at = 0; (at = text.find('@', at)) != text.npos;) {
    const std::string day = text.substr(at + 1, 10);
    text.replace(at, 11, R"({"$date": ")" + day + R"(T00:00:00Z"})");
  }
  return text;
}

std::string where(const std::shared_ptr<const routing::catalog>& entries,
                  const std::string& filter) {
  return judged(entries, with_dates(R"({"find": "c", "filter": )" + filter + "}")).where();
}

struct expected {
  const char* filter;
  const char* where;
};

TEST(classify_time_series, a_time_bounds_the_least_time_by_the_buckets_span) {
  const expected cases[] = {
      {R"({"time": @2019-11-11})", "single_shard 0"},
      {R"({"time": {"$eq": @2019-12-31}})", "single_shard 0"},
      {R"({"time": @2020-01-21})", "multi_shard 0,1"},  // its bucket may begin in 2019
      {R"({"time": @2020-11-30})", "single_shard 1"},
      {R"({"time": {"$lte": @2019-12-31}})", "single_shard 0"},
      {R"({"time": {"$lte": @2020-02-11}})", "multi_shard 0,1"},
      {R"({"time": {"$lt": @2019-11-11}})", "single_shard 0"},
      {R"({"time": {"$lt": @2021-01-01}})", "multi_shard 0,1"},
      {R"({"time": {"$gte": @2019-11-11}})", "multi_shard 0,1"},
      {R"({"time": {"$gte": @2020-01-11}})", "multi_shard 0,1"},
      {R"({"time": {"$gte": @2021-01-01}})", "single_shard 1"},
      {R"({"time": {"$gt": @2020-01-11}})", "multi_shard 0,1"},
      {R"({"time": {"$gt": @2021-01-01}})", "single_shard 1"},
      {R"({"$or": [{"time": @2019-11-11}, {"time": @2019-11-12}]})", "single_shard 0"},
  };
  for (const auto& [filter, shards] : cases) {
    EXPECT_EQ(where(by_time(), filter), shards) << filter;
  }
}

TEST(classify_time_series, meta_field_and_time_narrow_together) {
  const expected cases[] = {
      {R"({"hostid": 0})", "multi_shard 0,1"},
      {R"({"hostid": 1})", "single_shard 1"},
      {R"({"hostid.subField": 1})", "scatter_gather 0,1"},
      {R"({"hostid": 0, "time": @2019-12-31})", "single_shard 0"},
      {R"({"hostid": 0, "time": @2020-01-21})", "multi_shard 0,1"},
      {R"({"hostid": 0, "time": {"$lte": @2019-12-31}})", "single_shard 0"},
      {R"({"hostid": 1, "time": {"$lte": @2020-11-11}})", "single_shard 1"},
      {R"({"hostid": {"$lte": 0}, "time": {"$lte": @2019-12-31}})", "single_shard 0"},
      {R"({"hostid": 0, "time": {"$lt": @2020-11-11}})", "multi_shard 0,1"},
      {R"({"hostid": {"$lt": 0}, "time": {"$lt": @2019-12-31}})", "single_shard 0"},
      {R"({"hostid": -1, "time": {"$gte": @2020-11-30}})", "single_shard 0"},
      {R"({"hostid": 0, "time": {"$gte": @2020-11-11}})", "single_shard 1"},
      {R"({"hostid": {"$gte": 0}, "time": {"$gte": @2020-02-01}})", "single_shard 1"},
      {R"({"hostid": 0, "time": {"$gt": @2020-01-02}})", "multi_shard 0,1"},
      {R"({"time": @2019-11-11})", "scatter_gather 0,1"},
      {R"({"meta": 1})", "scatter_gather 0,1"},  // a field of the measurement, no key
  };
  for (const auto& [filter, shards] : cases) {
    EXPECT_EQ(where(by_meta_and_time(), filter), shards) << filter;
  }
}

TEST(classify_time_series, parts_of_the_meta_field_pin_as_any_key_does) {
  const auto entries = by_parts_of_meta();
  const judged pinned{entries,
                      R"({"find": "c", "filter": {"hostid.prefix": 0, "hostid.suffix": 7}})"};
  EXPECT_EQ(pinned.where(), "single_shard 1");
  EXPECT_EQ(pinned.verdict().bounds, routing::bounds_kind::point);
  EXPECT_EQ(where(entries, R"({"hostid.prefix": {"$in": [-2, -1]}})"), "single_shard 0");
  EXPECT_EQ(where(entries, R"({"hostid.prefix": {"$gte": 1}})"), "single_shard 1");
  EXPECT_EQ(where(entries, R"({"hostid.suffix": 1})"), "scatter_gather 0,1");
  EXPECT_EQ(where(entries, R"({"hostid": {"prefix": -1, "suffix": 1}})"), "single_shard 0");
  EXPECT_EQ(judged(entries, R"({"count": "c", "query": {"hostid.prefix": -1}})").where(),
            "single_shard 0");
}

/// Wider where mongos may or may not take a predicate over.
TEST(classify_time_series, what_mongos_may_leave_behind_narrows_nothing) {
  for (const char* filter :
       {R"({"$or": [{"hostid": {"$ne": 1}}, {"hostid": 5}]})",
        R"({"$or": [{"hostid": 1}, {"temperature": 5}]})", R"({"$nor": [{"hostid": 1}]})",
        R"({"hostid": {"$elemMatch": {"$gt": 1}}})", R"({"$expr": {"$eq": ["$hostid", 1]}})",
        R"({"_id": 7})", R"({"control.min.time": @2019-11-11})"}) {
    EXPECT_EQ(where(by_meta_and_time(), filter), "scatter_gather 0,1") << filter;
  }
  for (const char* filter :
       {R"({"time": {"$in": [@2019-11-11, @2019-11-12]}})", R"({"time": {"$ne": @2019-11-11}})",
        R"({"time": @1969-01-01})", R"({"time": @2150-01-01})", R"({"time": 5})",
        R"({"time": null})"}) {
    EXPECT_EQ(where(by_time(), filter), "scatter_gather 0,1") << filter;
  }
  EXPECT_EQ(where(by_time("5.3"), R"({"time": @2019-11-11})"), "scatter_gather 0,1");
}

/// mongo: plan_enumerator.cpp at 03fb28b: the $expr bounds the first $or's index, which is
/// planned then, and not the second.
TEST(classify_time_series, next_to_an_expression_another_or_may_be_planned) {
  const char* filter = R"({"$expr": {"$gte": ["$hostid", -5]}, "$and": [
      {"$or": [{"time": {"$gte": @2019-11-11}}, {"time": {"$lte": @2019-11-30}}]},
      {"$or": [{"hostid": 5}, {"hostid": {"$gt": 7}}]}]})";
  for (const char* version : {"6.0", "7.0", "8.0", "8.2"}) {
    const auto entries = series(
        R"({"meta": 1, "control.min.time": 1})",
        R"({"meta": 0, "control.min.time": {"$date": "2020-01-01T00:00:00Z"}})", version);
    EXPECT_EQ(where(entries, filter), "scatter_gather 0,1") << version;
    if (std::string_view{version} < "7.0") continue;  // refused
    EXPECT_EQ(judged(entries, with_dates(R"({"delete": "c", "deletes": [{"limit": 0, "q": )" +
                                         std::string{filter} + "}]}"))
                  .where(),
              "scatter_gather 0,1")
        << version;
  }
}

/// A sender must not hide a scatter over buckets behind a filter on measurements.
TEST(classify_time_series, with_raw_data_are_judged_as_their_buckets) {
  const std::string on_bucket = R"({"control.min.time": @2019-11-11})";
  const std::string on_measurement = R"({"time": @2019-11-11})";
  const auto commands = [](const std::string& name, const std::string& filter,
                           const std::string& raw) {
    const std::string quoted = "\"" + name + "\"";
    const std::string end = raw + "}";
    return std::vector<std::string>{
        R"({"find": )" + quoted + R"(, "filter": )" + filter + end,
        R"({"count": )" + quoted + R"(, "query": )" + filter + end,
        R"({"distinct": )" + quoted + R"(, "key": "a", "query": )" + filter + end,
        R"({"aggregate": )" + quoted + R"(, "pipeline": [{"$match": )" + filter +
            R"(}], "cursor": {})" + end,
        R"({"delete": )" + quoted + R"(, "deletes": [{"q": )" + filter + R"(, "limit": 0}])" +
            end,
        R"({"update": )" + quoted + R"(, "updates": [{"q": )" + filter +
            R"(, "u": {"$set": {"a": 1}}, "multi": true}])" + end,
        R"({"explain": {"find": )" + quoted + R"(, "filter": )" + filter + end + "}",
        R"({"explain": {"find": )" + quoted + R"(, "filter": )" + filter + "}" + end,
        R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.)" + name +
            R"("}], "ops": [{"delete": 0, "filter": )" + filter + R"(, "multi": true}])" + end,
    };
  };
  for (const auto& [filter, expected] :
       {std::pair{on_bucket, "single_shard 0"}, {on_measurement, "scatter_gather 0,1"}}) {
    const auto raw = commands("c", filter, R"(, "rawData": true)");
    const auto buckets = commands("system.buckets.c", filter, "");
    for (std::size_t i = 0; i != raw.size(); ++i) {
      EXPECT_EQ(judged(by_time("8.2"), with_dates(raw[i])).where(), expected) << raw[i];
      EXPECT_EQ(judged(by_time(), with_dates(buckets[i])).where(), expected) << buckets[i];
      for (const char* version : {"6.0", "8.0", "8.1"}) {
        const judged early{by_time(version), with_dates(raw[i])};
        const bool is_unknown = raw[i].starts_with(R"({"bulkWrite")") && version[0] == '6';
        EXPECT_EQ(label(early.verdict().refused),
                  is_unknown ? "CommandNotFound" : "Location40415")
            << version << raw[i];
      }
    }
    const std::string plain = commands("c", filter, R"(, "rawData": false)").front();
    EXPECT_NE(judged(by_time("8.2"), with_dates(plain)).where(), expected) << plain;
    EXPECT_EQ(label(judged(by_time("8.0"), with_dates(plain)).verdict().refused),
              "Location40415");
    EXPECT_EQ(label(judged(by_time("8.1"), with_dates(plain)).verdict().refused), "");
  }
}

TEST(classify_time_series, a_wrong_filter_has_its_usual_lints) {
  const judged odd{by_time(), R"({"find": "c", "filter": {"temperature": {"$foo": 1}}})"};
  EXPECT_EQ(label(odd.verdict().refused), "BadValue");
}

TEST(classify_time_series, a_pipeline_narrows_by_its_first_stage) {
  const auto run = [](const std::string& stages) {
    return judged(by_meta_and_time(), with_dates(R"({"aggregate": "c", "pipeline": [)" +
                                                 stages + R"(], "cursor": {}})"))
        .where();
  };
  EXPECT_EQ(run(R"({"$match": {"hostid": 1}}, {"$group": {"_id": "$hostid"}})"),
            "single_shard 1");
  EXPECT_EQ(run(R"({"$sort": {"time": 1}}, {"$match": {"hostid": 1}})"), "scatter_gather 0,1");
  EXPECT_EQ(run(R"({"$group": {"_id": "$hostid"}})"), "scatter_gather 0,1");
  EXPECT_EQ(judged(by_meta_and_time(), R"({"find": "seen", "filter": {}})").where(),
            "single_shard 1");
}

TEST(classify_time_series, the_buckets_themselves_are_a_collection_like_any) {
  const auto raw = [](const std::string& filter) {
    return judged(by_meta_and_time(),
                  R"({"find": "system.buckets.c", "filter": )" + filter + "}")
        .where();
  };
  EXPECT_EQ(raw(R"({"meta": 1})"), "single_shard 1");
  EXPECT_EQ(raw(R"({"hostid": 1})"), "scatter_gather 0,1");
}

/// Since 9.0, the series may have its buckets under its own name (mongo: viewless time series).
TEST(classify_time_series, a_series_may_have_its_own_name) {
  const auto entries = catalog_of(std::string{R"({"collections": [
      {"ns": "db.c", "key": {"meta": 1}, "splits": [{"meta": 0}], "timeSeries": )"} +
                                  hours + "}]}");
  EXPECT_EQ(where(entries, R"({"hostid": 1})"), "single_shard 1");
  EXPECT_EQ(where(entries, R"({"meta": 1})"), "scatter_gather 0,1");
}

/// timeseries_time_value_rounding.js: a bucket of the granularity hours begins with the day.
TEST(classify_time_series, an_insert_goes_where_the_bucket_would_begin) {
  const auto insert = [](const std::shared_ptr<const routing::catalog>& entries,
                         const std::string& document) {
    return judged(entries, R"({"insert": "c", "documents": [)" + document + "]}").where();
  };
  const auto rounded = series(R"({"control.min.time": 1})",
                              R"({"control.min.time": {"$date": "2020-01-01T12:00:00Z"}})");
  EXPECT_EQ(insert(rounded, R"({"time": {"$date": "2020-01-01T13:00:00Z"}})"),
            "single_shard 0");
  EXPECT_EQ(insert(rounded, R"({"time": {"$date": "2020-01-02T00:00:01Z"}})"),
            "single_shard 1");
  const std::string noon = R"("time": {"$date": "2020-05-01T12:00:00Z"})";
  EXPECT_EQ(insert(by_meta_and_time(), R"({"hostid": -1, )" + noon + "}"), "single_shard 0");
  EXPECT_EQ(insert(by_meta_and_time(), R"({"hostid": 0, )" + noon + "}"), "single_shard 1");
  EXPECT_EQ(insert(by_meta_and_time(), "{" + noon + "}"), "single_shard 0");  // null
  // Its fields are sorted first: which document that makes isn't looked into.
  EXPECT_EQ(insert(by_meta_and_time(), R"({"hostid": {"b": 1, "a": 2}, )" + noon + "}"),
            "single_shard ?");
  for (const char* document : {R"({"hostid": 1})", R"({"time": "noon"})"}) {
    const judged refused{by_time(),
                         std::string{R"({"insert": "c", "documents": [)"} + document + "]}"};
    EXPECT_EQ(label(refused.verdict().refused), "Location5743702") << document;
  }
  const judged list{by_meta_and_time(),
                    R"({"insert": "c", "documents": [{"hostid": [1], )" + noon + "}]}"};
  EXPECT_EQ(label(list.verdict().refused), "ShardKeyNotFound");
}

TEST(classify_time_series, updates_are_for_many_and_led_by_the_meta_field) {
  const auto update = [](const std::string& rest) {
    return judged(
        by_parts_of_meta(),
        R"({"update": "c", "updates": [{"u": {"$set": {"hostid.x": 1}}, )" + rest + "}]}");
  };
  EXPECT_EQ(update(R"("multi": true, "q": {"hostid.prefix": -1})").where(), "single_shard 0");
  EXPECT_EQ(update(R"("multi": true, "q": {})").where(), "scatter_gather 0,1");
  EXPECT_EQ(label(update(R"("q": {"hostid.prefix": -1})").verdict().refused), "InvalidOptions");
  EXPECT_EQ(label(update(R"("multi": true, "upsert": true, "q": {"hostid.prefix": 1})")
                      .verdict()
                      .refused),
            "InvalidOptions");
}

TEST(classify_time_series, deletes_are_led_by_the_time_too_from_7_0_on) {
  const auto remove = [](const std::string& version, int limit, const std::string& filter) {
    return judged(by_time(version),
                  with_dates(R"({"delete": "c", "deletes": [{"limit": )" +
                             std::to_string(limit) + R"(, "q": )" + filter + "}]}"));
  };
  const std::string early = R"({"time": {"$lt": @2019-11-11}})";
  // 7.0 is known in part: the wider answer, and no refusal.
  EXPECT_EQ(remove("7.1", 0, early).where(), "single_shard 0");
  EXPECT_EQ(remove("7.0", 0, early).where(), "scatter_gather 0,1");
  EXPECT_EQ(label(remove("7.0", 1, early).verdict().refused), "");
  EXPECT_EQ(remove("7.0", 0, R"({"time": {"$in": []}})").where(), "scatter_gather 0,1");
  EXPECT_EQ(label(remove("6.0", 0, early).verdict().refused), "InvalidOptions");
  EXPECT_EQ(label(remove("6.0", 1, early).verdict().refused), "IllegalOperation");
  EXPECT_EQ(remove("8.0", 1, early).where(), "single_shard 0");
}

/// mongo: jstests/sharding/timeseries_find_and_modify_remove.js at 04bbde76e64e: "supported
/// since 7.1"; before, the primary shard refuses it as one on a view.
TEST(classify_time_series, before_7_1_a_find_and_modify_is_one_on_a_view) {
  const auto refused = [](const std::string& version, const std::string& rest) {
    const judged found{by_parts_of_meta(version),
                       R"({"findAndModify": "c", "remove": true, "query": )" + rest + "}"};
    return label(found.verdict().refused);
  };
  const std::string pinned = R"({"hostid.prefix": 1, "hostid.suffix": 1})";
  for (const char* version : {"5.3", "6.0.12", "7.0", "7.0.20"}) {
    EXPECT_EQ(refused(version, pinned), "CommandNotSupportedOnView") << version;
    EXPECT_EQ(refused(version, "{}"), "CommandNotSupportedOnView") << version;
  }
  for (const char* version : {"7.1", "7.3", "8.0"}) {
    EXPECT_EQ(refused(version, pinned), "") << version;
    EXPECT_EQ(refused(version, pinned + R"(, "sort": {"time": 1})"), "InvalidOptions");
  }
}

/// mongo: s/commands/cluster_find_and_modify_cmd.cpp, getQueryForShardKey, by the predicate
/// that a delete is led by; timeseries_find_and_modify_remove.js at 04bbde76e64e,
/// testTargetedDeleteByTimeShardKeyFilter.
TEST(classify_time_series, a_find_and_modify_is_led_by_the_time_too) {
  for (const char* version : {"7.1", "8.0", "8.2", "9.0"}) {
    EXPECT_EQ(judged(by_time(version), with_dates(R"({"findAndModify": "c", "remove": true,
                  "query": {"time": @2019-11-11}})"))
                  .where(),
              "single_shard 0")
        << version;
  }
}

/// mongo: timeseries_update_delete_util.cpp at e4932f4 and 07d77e5, replaceQueryMetaFieldName;
/// jstests/sharding/timeseries/timeseries_update.js at a82ad8f,
/// testCaseNoMetaFieldQueryUpdateFails.
TEST(classify_time_series, some_writes_may_name_the_meta_field_only) {
  const expected cases[] = {
      {R"({"hostid": 5, "temperature": 1})", "InvalidOptions"},
      {R"({"temperature": 5})", "InvalidOptions"},
      {R"({"time": @2019-11-11})", "InvalidOptions"},
      {R"({"control.min.time": @2019-11-11})", "InvalidOptions"},
      {R"({"meta": 5})", "InvalidOptions"},
      {R"({"hostids": 5})", "InvalidOptions"},
      {R"({"hostid": 5, "$expr": {"$eq": ["$hostid", 5]}})", "InvalidOptions"},
      {R"({"$or": [{"hostid": 5}, {"$where": "1"}]})", "InvalidOptions"},
      {R"({"$or": [{"hostid": 5}, {"$and": [{"time": 5}]}]})", "InvalidOptions"},
      {R"({"$nor": [{"temperature": 5}]})", "InvalidOptions"},
      {R"({"hostid": {"$in": [{"a": 5}]}})", "InvalidOptions"},
      {R"({"$jsonSchema": {"required": ["hostid", "time"]}})", "InvalidOptions"},
      {R"({"$jsonSchema": {"properties": {"hostid.a": {}}}})", "InvalidOptions"},
      {R"({"hostid": {"$foo": 5}})", "BadValue"},
      {R"({"hostid": 5})", ""},
      {R"({})", ""},
      {R"({"hostid.a": 5, "$comment": "why"})", ""},
      {R"({"$or": [{"hostid": 5}, {"$and": [{"hostid.a": 5}]}]})", ""},
      {R"({"hostid": {"$elemMatch": {"a": 5}}})", ""},
      {R"({"hostid": {"a": 5}})", ""},
      {R"({"$jsonSchema": {"required": ["hostid"], "properties": {"hostid": {}}}})", ""},
  };
  const auto refused = [](const std::string& command, const std::string& version) {
    const auto entries = series(
        R"({"meta": 1, "control.min.time": 1})",
        R"({"meta": 0, "control.min.time": {"$date": "2020-01-01T00:00:00Z"}})", version);
    return label(judged(entries, with_dates(command)).verdict().refused);
  };
  for (const auto& [filter, error] : cases) {
    const std::string text = filter;
    const std::string update =
        R"({"update": "c", "updates": [{"multi": true, "u": {"$set": {"hostid": 1}}, "q": )" +
        text + "}]}";
    const std::string remove =
        R"({"delete": "c", "deletes": [{"limit": 0, "q": )" + text + "}]}";
    for (const char* version : {"6.0.12", "7.0.12", "8.0", "8.2", "9.0"}) {
      EXPECT_EQ(refused(update, version), error) << filter << ' ' << version;
    }
    EXPECT_EQ(refused(remove, "6.0.12"), error) << filter;
    for (const char* version : {"7.0.12", "8.0", "8.2", "9.0"}) {
      const bool is_certain = std::string_view{error} == "InvalidOptions";
      EXPECT_EQ(refused(remove, version), is_certain ? "" : error) << filter << ' ' << version;
    }
  }
}

/// The same: the members of a list count as filters, so the position changes.
TEST(classify_time_series, an_update_renames_the_meta_field_in_lists_of_values_too) {
  const auto update = [](const std::string& filter) {
    return judged(by_meta_and_time(),
                  R"({"update": "c", "updates": [{"multi": true, "u": {"$set": {"hostid": 1}},
                      "q": )" +
                      filter + "}]}")
        .where();
  };
  EXPECT_EQ(update(R"({"hostid": {"$in": [{"hostid": 5}]}})"), "scatter_gather 0,1");
  EXPECT_EQ(update(R"({"hostid": {"$in": [5]}})"), "single_shard 1");
}

/// mongo: collection_routing_info_targeter.cpp at 009489e, targetUpdate: without a meta field
/// the filter counts for nothing. The shards refuse it.
TEST(classify_time_series, an_update_without_a_meta_field_asks_all) {
  const auto entries = catalog_of(R"({"version": "8.0", "collections": [
      {"ns": "db.system.buckets.c", "key": {"control.min.time": 1},
       "splits": [{"control.min.time": {"$date": "2020-01-01T00:00:00Z"}}],
       "timeSeries": {"time": "time", "span": 2592000}}]})");
  const judged found{entries, with_dates(R"({"update": "c", "updates": [{"multi": true,
      "u": {"$set": {"a": 1}}, "q": {"time": @2019-11-11}}]})")};
  EXPECT_EQ(found.where(), "scatter_gather 0,1");
  EXPECT_EQ(label(found.verdict().refused), "InvalidOptions");
}

/// mongo: target_write_op.cpp at 0479b3d, targetUpdate: a findAndModify is an update of one.
TEST(classify_time_series, from_9_0_on_a_find_and_modify_only_removes) {
  const auto refused = [](const std::string& version, const std::string& rest) {
    const judged found{
        by_parts_of_meta(version),
        R"({"findAndModify": "c", "query": {"hostid.prefix": 1}, )" + rest + "}"};
    return label(found.verdict().refused);
  };
  EXPECT_EQ(refused("9.0", R"("update": {"$set": {"x": 1}})"), "InvalidOptions");
  EXPECT_EQ(refused("9.0", R"("update": {"x": 1}, "upsert": true)"), "InvalidOptions");
  EXPECT_EQ(refused("9.0", R"("remove": true)"), "");
  for (const char* version : {"7.1", "8.0", "8.2"}) {  // the shard refuses it
    EXPECT_EQ(refused(version, R"("update": {"$set": {"x": 1}})"), "InvalidOptions");
    EXPECT_EQ(judged(by_parts_of_meta(version), R"({"findAndModify": "c",
        "query": {"hostid.prefix": 1}, "update": {"$set": {"x": 1}}})")
                  .where(),
              "single_shard 1");
  }
}

/// mongo: timeseries_update_delete_util.cpp at e4932f4 and 07d77e5, translateUpdate;
/// jstests/sharding/timeseries/timeseries_update.js at a82ad8f,
/// testCaseReplacementAndPipelineUpdateFails, testCaseIllegalMetaFieldUpdateFails,
/// testCaseValidMetaFieldUpdates. The shards refuse it, so its target is known.
TEST(classify_time_series, an_update_may_change_the_meta_field_only) {
  const expected cases[] = {
      {R"({"$set": {"temperature": 1}})", "InvalidOptions"},
      {R"({"$set": {"hostid.a": 1, "temperature": 1}})", "InvalidOptions"},
      {R"({"$set": {"hostid": 1}, "$inc": {"temperature": 1}})", "InvalidOptions"},
      {R"({"$set": {"meta": 1}})", "InvalidOptions"},
      {R"({"$rename": {"hostid": "Z"}})", "InvalidOptions"},
      {R"({"$rename": {"hostid.a": "other.a"}})", "InvalidOptions"},
      {R"([{"$set": {"hostid": 1}}])", "InvalidOptions"},
      {R"({"$set": {"hostid": 1}})", ""},
      {R"({"$set": {"hostid.a": 1}, "$unset": {"hostid.b": ""}})", ""},
      {R"({"$rename": {"hostid.a": "hostid.z"}})", ""},
  };
  for (const char* version : {"6.0.12", "7.0.12", "8.0", "8.2", "9.0"}) {
    for (const auto& [change, error] : cases) {
      const judged found{by_parts_of_meta(version),
                         R"({"update": "c", "updates": [{"multi": true,
                             "q": {"hostid.prefix": -1}, "u": )" +
                             std::string{change} + "}]}"};
      EXPECT_EQ(label(found.verdict().refused), error) << change << ' ' << version;
      EXPECT_EQ(found.where(), "single_shard 0") << change << ' ' << version;
    }
  }
}

// mongo: s/commands/query_cmd/cluster_find_and_modify_cmd.cpp of 8.0, getCollectionRoutingInfo;
// s/write_ops/unified_write_executor/write_op_analyzer.cpp at 0479b3d, analyze.
TEST(classify_time_series, one_measurement_is_found_by_the_meta_field) {
  const auto found = [](const std::string& query, const std::string& more = "") {
    return judged(by_meta_and_time(), with_dates(R"({"findAndModify": "c", "remove": true,
        "query": )" + query + more + "}"));
  };
  EXPECT_EQ(found(R"({"hostid": 5})").where(), "single_shard 1");
  EXPECT_EQ(found(R"({"temperature": 5})").why(), "scatter_gather write_without_key");
  EXPECT_EQ(label(found(R"({"hostid": 5})", R"(, "sort": {"time": 1})").verdict().refused),
            "InvalidOptions");
  const auto raw = catalog_of(std::string{R"({"version": "8.2", "collections": [
      {"ns": "db.system.buckets.c", "key": {"meta": 1}, "splits": [{"meta": 0}],
       "timeSeries": )"} + hours +
                              "}]}");
  EXPECT_EQ(judged(raw, R"({"findAndModify": "c", "remove": true, "query": {"meta": 5},
                            "sort": {"a": 1}, "rawData": true})")
                .where(),
            "single_shard 1");
}

/// mongo: cluster_map_reduce_agg.cpp at f2bd012; target_write_op.cpp at 0479b3d, targetUpdate,
/// which the updates of a $merge come to; views_all_commands.js. A series whose buckets have
/// its own name is no view.
TEST(classify_time_series, what_takes_no_measurements) {
  const auto own_name = catalog_of(std::string{R"({"version": "9.0", "collections": [
      {"ns": "db.c", "key": {"meta": 1}, "splits": [{"meta": 0}], "timeSeries": )"} +
                                   hours + "}]}");
  const auto refused = [](const auto& entries, const char* command) {
    return label(judged(entries, command).verdict().refused);
  };
  const char* map_reduce = R"({"mapReduce": "c", "out": {"inline": 1}})";
  const char* stream =
      R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$changeStream": {}}]})";
  for (const char* version : {"6.0", "7.0", "8.0", "8.2"}) {
    EXPECT_EQ(refused(by_time(version), map_reduce), "CommandNotSupportedOnView") << version;
    EXPECT_EQ(refused(by_time(version), stream), "CommandNotSupportedOnView") << version;
    EXPECT_EQ(judged(by_time(version), stream).where(), "scatter_gather 0,1") << version;
  }
  EXPECT_EQ(refused(own_name, map_reduce), "");
  EXPECT_EQ(judged(own_name, stream).where(), "scatter_gather 0,1");
  for (const auto& entries : {by_time("6.0"), by_time("8.0"), own_name}) {
    EXPECT_EQ(refused(entries, R"({"aggregate": "u", "cursor": {}, "pipeline": [
        {"$merge": {"into": "c"}}]})"),
              "InvalidOptions");
    EXPECT_EQ(refused(entries, R"({"aggregate": "u", "cursor": {}, "pipeline": [
        {"$merge": {"into": "c", "whenMatched": "fail"}}]})"),
              "");
    EXPECT_EQ(refused(entries, R"({"explain": {"aggregate": "u", "cursor": {}, "pipeline": [
        {"$merge": {"into": "c"}}]}})"),
              "");
  }
}

/// mongo: timeseries_update_delete_util.cpp at e4932f4, getBucketLevelPredicateForRouting,
/// splits a filter that isn't optimised; expression_algo.cpp, splitMatchExpressionBy, splits no
/// $or.
TEST(classify_time_series, a_write_takes_an_or_as_a_whole_or_not_at_all) {
  const expected cases[] = {
      {R"({"$or": [{"hostid": 1}]})", "single_shard 1"},
      {R"({"$or": [{"hostid": 1}, {"hostid": 2}]})", "single_shard 1"},
      {R"({"$or": [{"$and": [{"hostid": 1}, {"hostid": {"$gt": 0}}]}]})", "single_shard 1"},
      {R"({"$or": [{"hostid": 1, "x": 2}]})", "scatter_gather 0,1"},
      {R"({"$or": [{"hostid": 1, "time": @2020-11-30}]})", "scatter_gather 0,1"},
      {R"({"$or": [{"hostid": 1, "x": 2}, {"hostid": 2, "x": 2}]})", "scatter_gather 0,1"},
      {R"({"hostid": 1, "$or": [{"hostid": 1, "x": 2}]})", "single_shard 1"},
  };
  const auto where_of = [](const std::string& command, const std::string& version) {
    const auto entries = series(
        R"({"meta": 1, "control.min.time": 1})",
        R"({"meta": 0, "control.min.time": {"$date": "2020-01-01T00:00:00Z"}})", version);
    return judged(entries, with_dates(command)).where();
  };
  for (const auto& [filter, shards] : cases) {
    const std::string text = filter;
    for (const char* version : {"7.0", "8.0", "8.2", "9.0"}) {
      EXPECT_EQ(
          where_of(R"({"delete": "c", "deletes": [{"limit": 0, "q": )" + text + "}]}", version),
          shards)
          << filter << ' ' << version;
      if (std::string_view{version} == "7.0") continue;
      EXPECT_EQ(
          where_of(R"({"findAndModify": "c", "remove": true, "query": )" + text + "}", version),
          shards)
          << filter << ' ' << version;
    }
  }
  EXPECT_EQ(where(by_meta_and_time(), R"({"$or": [{"hostid": 1, "x": 2}]})"), "single_shard 1");
}

/// mongo: bucket_spec.cpp, createPredicatesOnBucketLevelField: an empty list of times is an $or
/// of no branches; what is never true has no bounds (expression_algo.cpp,
/// hasOnlyRenameableMatchExpressionChildren: it doesn't move before the unpacking).
TEST(classify_time_series, what_is_never_true_asks_all) {
  for (const char* version : {"6.0", "7.0", "8.0", "8.2", "9.0"}) {
    const auto entries = series(R"({"meta": 1})", R"({"meta": 0})", version);
    for (const char* filter : {R"({"hostid": 1, "time": {"$in": []}})",
                               R"({"hostid": null, "$or": [{"time": {"$in": []}}]})"}) {
      EXPECT_EQ(where(entries, filter), "scatter_gather 0,1") << filter << ' ' << version;
    }
    EXPECT_EQ(where(entries, R"({"$or": [{"hostid": {"$in": []}},
                                         {"hostid": {"$in": []}, "$nor": [{"time": 1}]}]})"),
              "scatter_gather 0,1")
        << version;
    const judged two{entries, R"({"aggregate": "c", "cursor": {}, "pipeline": [
        {"$match": {"hostid": 1}}, {"$match": {"time": {"$in": []}}}]})"};
    EXPECT_EQ(two.where(), "scatter_gather 0,1") << version;
  }
  for (const char* version : {"8.0", "8.2", "9.0"}) {
    const auto entries = series(R"({"meta": 1})", R"({"meta": 0})", version);
    EXPECT_EQ(where(entries, R"({"hostid": 1, "$nor": [{}]})"), "scatter_gather 0,1");
    EXPECT_EQ(where(entries, R"({"hostid": {"$in": []}})"), "scatter_gather 0,1");
    EXPECT_EQ(judged(entries, R"({"delete": "c", "deletes": [{"limit": 0, "q":
        {"hostid": 1, "$nor": [{}]}}]})")
                  .where(),
              "scatter_gather 0,1");
  }
}

TEST(classify_time_series, two_matches_in_a_row_narrow_together) {
  const judged two{by_meta_and_time(), with_dates(R"({"aggregate": "c", "cursor": {},
      "pipeline": [{"$match": {"hostid": 0}}, {"$match": {"time": {"$gte": @2020-11-11}}}]})")};
  EXPECT_EQ(two.where(), "single_shard 1");
}

}  // namespace
}  // namespace scattergate::routing_tests
