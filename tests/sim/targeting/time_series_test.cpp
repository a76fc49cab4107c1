#include "sim/targeting/time_series.hpp"

#include <string>

#include "sim/targeting/targeting.hpp"
#include "tests/sim/simulator_fixture.hpp"

namespace scattergate::sim {
namespace {

std::string at(std::int64_t seconds) {
  return R"({"$date": {"$numberLong": ")" + std::to_string(seconds * 1000) + R"("}})";
}

/// Measurements of `t` and `m`, buckets of an hour.
const time_series series{"t", "m", 3600, 60};

struct bounds_case {
  std::string filter;
  const char* version;
  std::set<shard_index> shards;
};

/// Shards of {control.min.t: 1}: to 100,000 s on 0, to 200,000 s on 1, the rest on 2.
std::set<shard_index> shards_by_time(const filter_node& on_buckets,
                                     const targeting_rules& rules) {
  const shard_key key{series.pattern_of_buckets(from_json(R"({"t": 1})"))};
  chunk_map chunks{key, 0};
  for (const std::int64_t bound : {1, 2}) {
    const array position{value{date{bound * 100'000'000}}};
    chunks.split(position);
    chunks.move(position, static_cast<shard_index>(bound));
  }
  return target_of(on_buckets, key, chunks, {true, rules}).shards;
}

std::set<shard_index> shards_of_read(const std::string& filter, const char* version) {
  const filter_terms terms{{}, rules_of(version)};
  return shards_by_time(
      read_on_buckets(read_filter(from_json(filter), terms), series, terms.rules), terms.rules);
}

/// mongo: bucket_level_comparison_predicate_generator.cpp, bucket_spec.cpp.
TEST(time_series, a_time_bounds_the_buckets_that_may_hold_it) {
  for (const bounds_case& each : std::vector<bounds_case>{
           {R"({"t": )" + at(150'000) + "}", "8.0", {1}},
           {R"({"t": )" + at(101'000) + "}", "8.0", {0, 1}},
           {R"({"t": {"$gt": )" + at(202'000) + "}}", "8.0", {1, 2}},
           {R"({"t": {"$gte": )" + at(204'000) + "}}", "8.0", {2}},
           {R"({"t": {"$lt": )" + at(90'000) + "}}", "8.0", {0}},
           {R"({"t": {"$lte": )" + at(100'000) + "}}", "8.0", {0, 1}},
           {R"({"t": {"$in": [)" + at(50'000) + "," + at(250'000) + "]}}", "8.0", {0, 2}},
           {R"({"$or": [{"t": )" + at(50'000) + R"(}, {"t": )" + at(250'000) + "}]}",
            "8.0",
            {0, 2}},
           {R"({"$or": [{"t": )" + at(50'000) + R"(}, {"x": {"$ne": 1}}]})", "8.0", {0, 1, 2}},
           {R"({"$or": [{"t": )" + at(50'000) + R"(}, {"x": 1}]})", "8.0", {0, 1, 2}},
           {R"({"t": )" + at(50'000) + R"(, "x": {"$exists": true}})", "8.0", {0}},
           {R"({"$expr": {"$lt": ["$t", )" + at(90'000) + "]}}", "8.0", {0}},
           {R"({"t": 5})", "8.0", {0, 1, 2}},
           {R"({"t": null})", "8.0", {0, 1, 2}},
           {R"({"t": {"$ne": )" + at(50'000) + "}}", "8.0", {0, 1, 2}},
           {R"({"t": {"$gt": )" + at(-5) + "}}", "8.0", {0, 1, 2}},
           // Before 6.0 a bucket's least time has no lower bound.
           {R"({"t": {"$gt": )" + at(250'000) + "}}", "5.0", {0, 1, 2}},
           {R"({"t": )" + at(50'000) + "}", "5.0", {0}},
           {R"({"t": {"$in": [)" + at(50'000) + "]}}", "6.0", {0}},
           {R"({"$or": [{"t": )" + at(50'000) + R"(}, {"t": )" + at(60'000) + "}]}",
            "5.0",
            {0, 1, 2}},
       }) {
    EXPECT_EQ(shards_of_read(each.filter, each.version), each.shards)
        << each.version << ' ' << each.filter;
  }
}

std::string on_buckets(const char* filter, const char* version, bool is_read,
                       written_by by = written_by::meta_and_time) {
  const filter_terms terms{{}, rules_of(version)};
  const filter_node read = read_filter(from_json(filter), terms);
  const filter_node made = is_read ? read_on_buckets(read, series, terms.rules)
                                   : write_on_buckets(read, series, terms.rules, by);
  std::set<std::string> paths;
  const std::function<void(const filter_node&)> add = [&](const filter_node& node) {
    if (!node.path.empty()) paths.insert(node.path);
    for (const filter_node& each : node.parts) add(each);
  };
  add(made);
  std::string out;
  for (const std::string& each : paths) out += (out.empty() ? "" : " ") + each;
  return out;
}

TEST(time_series, the_meta_field_has_another_name_in_buckets) {
  EXPECT_EQ(on_buckets(R"({"m.a": 1})", "8.0", true), "meta.a");
  EXPECT_EQ(on_buckets(R"({"m": 1, "x": {"$mod": [2, 0]}})", "8.0", true), "meta");
  EXPECT_EQ(on_buckets(R"({"$or": [{"m": 1}, {"m.a": {"$exists": true}}]})", "8.0", true),
            "meta meta.a");
  // In an `$or` with a measurement.
  const char* mixed = R"({"$or": [{"m": 1}, {"x": 5}]})";
  EXPECT_EQ(on_buckets(mixed, "5.0", true), "");
  EXPECT_EQ(on_buckets(mixed, "6.0", true), "$expr control.max.x control.min.x meta");
  const char* list = R"({"$or": [{"m": {"$in": [1, 2]}}, {"x": 5}]})";
  EXPECT_EQ(on_buckets(list, "6.0", true), "$expr control.max.x control.min.x meta");
  const char* other = R"({"$or": [{"m": {"$mod": [2, 0]}}, {"x": 5}]})";
  EXPECT_EQ(on_buckets(other, "6.0", true), "");
  EXPECT_EQ(on_buckets(other, "7.0", true), "$expr control.max.x control.min.x meta");
}

TEST(time_series, of_a_write_only_meta_and_time_count) {
  const char* filter = R"({"m": 1, "x": 5, "t": {"$lt": {"$date": {"$numberLong": "1000"}}}})";
  EXPECT_EQ(on_buckets(filter, "8.0", false), "_id control.max.t control.min.t meta");
  EXPECT_EQ(on_buckets(filter, "7.0", false, written_by::meta), "meta");
  EXPECT_EQ(on_buckets(R"({"$and": [{"m.a": 1}, {"m": {"$gt": 2}}]})", "8.0", false,
                       written_by::renamed_meta),
            "meta meta.a");
  EXPECT_EQ(on_buckets(R"({"$or": [{"m": 1}, {"x": 5}]})", "8.0", false), "");
}

/// d.c of buckets of an hour, by their least time: before 100,000 s on shard1, from there on on
/// shard2, from 200,000 s on shard3.
class time_series_commands : public simulated {
 protected:
  void SetUp() override {
    run_ok(R"({"create": "c", "timeseries": {"timeField": "t", "metaField": "m",
                                             "granularity": "seconds"}})");
    run_ok("admin", R"({"shardCollection": "d.c", "key": {"t": 1}})");
    collection& made = *simulator_.contents().data.find("d.c");
    for (const std::int64_t bound : {1, 2}) {
      const array position{value{date{bound * 100'000'000}}};
      made.spread->chunks.split(position);
      simulator_.contents().data.move_chunk(made, position, static_cast<shard_index>(bound));
    }
    run_ok(R"({"insert": "c", "documents": [{"t": )" + at(50'000) +
           R"(, "m": 1, "x": 1}, {"t": )" + at(150'000) + R"(, "m": 2, "x": 2}, {"t": )" +
           at(250'030) + R"(, "m": 2, "x": 3}]})");
  }

  void pass_for(const char* version) {
    simulator_.contents().data.simulate(release_named(version).value());
  }

  std::int64_t error_of(const std::string& json) {
    const document reply = run(json);
    const array& errors = array_argument(reply, "writeErrors");
    if (errors.empty()) return number_argument(reply, "code", 0);
    return number_argument(*errors.front().as<document>(), "code", 0);
  }
};

TEST_F(time_series_commands, measurements_live_where_their_bucket_does) {
  for (shard_index each = 0; each < 3; ++each) EXPECT_EQ(count_on(each, "insert"), 1);
  EXPECT_EQ(batch(R"({"find": "c", "filter": {"t": )" + at(150'000) + "}}").size(), 1U);
  EXPECT_EQ(count_on(0, "find"), 0);
  EXPECT_EQ(count_on(1, "find"), 1);
  EXPECT_EQ(count_on(2, "find"), 0);
  EXPECT_EQ(code_of(R"({"insert": "c", "documents": [{"m": 1}]})"), 0);
  EXPECT_EQ(error_of(R"({"insert": "c", "documents": [{"m": 1}]})"), 5'743'702);
}

TEST_F(time_series_commands, raw_data_means_buckets_from_8_2_on) {
  const std::string raw =
      R"({"find": "c", "rawData": true, "filter": {"control.min.t": )" + at(250'020) + "}}";
  pass_for("8.2");
  const array found = batch(raw);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found.front().as<document>()->has("control"));
  EXPECT_EQ(count_on(0, "find"), 0);
  EXPECT_EQ(count_on(2, "find"), 1);
  // A measurement's time is no field of buckets.
  EXPECT_TRUE(
      batch(R"({"find": "c", "rawData": true, "filter": {"t": )" + at(250'030) + "}}").empty());
  EXPECT_EQ(count_on(0, "find"), 1);
}

std::string bucket(const char* meta, std::int64_t seconds) {
  const std::string time = at(seconds);
  return std::string{R"({"meta": )"} + meta + R"(, "control": {"version": 1, "min": {"t": )" +
         time + R"(}, "max": {"t": )" + time + R"(}}, "data": {"t": {"0": )" + time +
         R"(, "1": )" + time + R"(}, "x": {"0": 7, "1": 8}}})";
}

/// mongo: raw_data_operation.h; s/write_ops/unified_write_executor/write_op_analyzer.cpp at
/// 0479b3d30874: with rawData the filter isn't translated.
TEST_F(time_series_commands, raw_data_writes_buckets_from_8_2_on) {
  pass_for("8.2");
  EXPECT_EQ(error_of(R"({"insert": "c", "rawData": true, "documents": [{"meta": 1}]})"), 121);
  EXPECT_EQ(error_of(R"({"insert": "c", "rawData": true,
                         "documents": [{"meta": 1, "control": {"min": {"t": )" +
                     at(5) + "}}}]}"),
            121);
  run_ok(R"({"insert": "c", "rawData": true, "documents": [)" + bucket("9", 150'000) + "]}");
  EXPECT_EQ(batch(R"({"find": "c", "filter": {"m": 9}})").size(), 2U);
  EXPECT_EQ(count_on(1, "insert"), 2);
  // One measurement leaves its bucket, another takes it along.
  run_ok(R"({"delete": "c", "deletes": [{"q": {"m": 9, "x": 7}, "limit": 0}]})");
  EXPECT_EQ(batch(R"({"find": "c", "filter": {"m": 9}})").size(), 1U);
  EXPECT_EQ(batch(R"({"find": "c", "rawData": true, "filter": {"meta": 9}})").size(), 1U);
  run_ok(R"({"update": "c", "rawData": true,
             "updates": [{"q": {"meta": 9}, "u": {"$set": {"meta": 10}}, "multi": true}]})");
  EXPECT_EQ(batch(R"({"find": "c", "filter": {"m": 10}})").size(), 1U);
  run_ok(
      R"({"delete": "c", "rawData": true, "deletes": [{"limit": 0, "q": {"control.min.t": )" +
      at(150'000) + "}}]}");
  EXPECT_EQ(count_on(0, "delete"), 1);  // the first delete, by what says nothing of the time
  EXPECT_EQ(count_on(1, "delete"), 2);
  EXPECT_TRUE(batch(R"({"find": "c", "filter": {"m": 10}})").empty());
  EXPECT_EQ(batch(R"({"find": "c", "filter": {}})").size(), 2U);
}

TEST_F(time_series_commands, an_update_of_many_changes_each_measurement_once) {
  run_ok(R"({"insert": "system.buckets.c", "documents": [)" + bucket("9", 150'000) + "]}");
  run_ok(R"({"update": "c", "updates": [{"q": {"m": 9}, "multi": true,
                                         "u": {"$set": {"m": 10}}}]})");
  EXPECT_TRUE(batch(R"({"find": "c", "filter": {"m": 9}})").empty());
  EXPECT_EQ(batch(R"({"find": "c", "filter": {"m": 10}})").size(), 2U);
}

/// Until 9.0 buckets have a name of their own, and no series is asked by it.
TEST_F(time_series_commands, buckets_are_a_collection_of_their_own) {
  const std::string find =
      R"({"find": "system.buckets.c", "filter": {"control.min.t": )" + at(150'000) + "}}";
  for (const char* version : {"6.0", "8.0", "8.2"}) {
    pass_for(version);
    const array found = batch(find);
    ASSERT_EQ(found.size(), 1U) << version;
    EXPECT_TRUE(found.front().as<document>()->has("control"));
  }
  EXPECT_EQ(count_on(0, "find"), 0);
  EXPECT_EQ(count_on(1, "find"), 3);
  pass_for("9.0");
  EXPECT_TRUE(batch(find).empty());
  EXPECT_EQ(batch(R"({"find": "c", "rawData": true, "filter": {"meta": 1}})").size(), 1U);
  const document reply = run_ok("config", R"({"find": "collections", "filter": {}})");
  const array& entries = array_argument(document_argument(reply, "cursor"), "firstBatch");
  EXPECT_EQ(text_argument(*entries.front().as<document>(), "_id"), "d.c");
}

/// mongo 027de410329b: FixedBucketsLevelComparisonPredicateGenerator.
TEST(time_series, fixed_buckets_begin_at_multiples_of_their_span) {
  const time_series fixed{"t", "m", 3600, 3600};
  for (const bounds_case& each : std::vector<bounds_case>{
           {R"({"t": )" + at(101'000) + "}", "8.0", {1}},
           {R"({"t": {"$gt": )" + at(202'000) + "}}", "8.0", {2}},
           {R"({"t": {"$lt": )" + at(101'000) + "}}", "8.0", {0, 1}},
           {R"({"t": )" + at(101'000) + "}", "7.0", {0, 1}},
       }) {
    const filter_terms terms{{}, rules_of(each.version)};
    const filter_node read = read_filter(from_json(each.filter), terms);
    EXPECT_EQ(shards_by_time(read_on_buckets(read, fixed, terms.rules), terms.rules),
              each.shards)
        << each.version << ' ' << each.filter;
  }
}

/// mongo 009489e71bbc: collection_routing_info_targeter.cpp.
TEST_F(time_series_commands, what_mongos_refuses_of_measurements) {
  const std::string update_one =
      R"({"update": "c", "updates": [{"q": {"m": 1}, "u": {"$set": {"m": 3}}}]})";
  const std::string remove_one =
      R"({"delete": "c", "deletes": [{"q": {"t": )" + at(50'000) + R"(}, "limit": 1}]})";
  for (const char* version : {"6.0", "7.0", "8.0", "8.2", "9.0"}) {
    pass_for(version);
    EXPECT_EQ(error_of(update_one), 72) << version;
  }
  pass_for("6.0");
  EXPECT_EQ(error_of(remove_one), 20);
  EXPECT_EQ(error_of(R"({"findAndModify": "c", "query": {"m": 1}, "remove": true})"), 166);
  pass_for("7.0.1");
  EXPECT_EQ(error_of(R"({"findAndModify": "c", "query": {"m": 1}, "remove": true})"), 166);
  EXPECT_EQ(error_of(remove_one), 61);
  EXPECT_EQ(error_of(R"({"delete": "c", "deletes": [{"q": {"m": 2}, "limit": 1}]})"), 61);
  const std::string update = R"({"findAndModify": "c", "query": {"t": )" + at(50'000) +
                             R"(}, "update": {"$set": {"x": 5}}})";
  pass_for("9.0");
  EXPECT_EQ(error_of(update), 72);
  pass_for("8.0");
  EXPECT_EQ(error_of(update), 72);
  EXPECT_EQ(error_of(remove_one), 0);
  EXPECT_EQ(error_of(R"({"delete": "c", "deletes": [{"q": {"m": 2}, "limit": 1}]})"), 0);
}

/// mongo e4932f42ddd8: timeseries_update_delete_util.cpp, translateQuery.
TEST_F(time_series_commands, some_writes_may_name_the_meta_field_only) {
  const auto update = [](const std::string& filter) {
    return R"({"update": "c", "updates": [{"multi": true, "u": {"$set": {"m": 3}}, "q": )" +
           filter + "}]}";
  };
  const auto remove = [](const std::string& filter) {
    return R"({"delete": "c", "deletes": [{"limit": 0, "q": )" + filter + "}]}";
  };
  for (const char* version : {"6.0", "7.0", "8.0", "8.2", "9.0"}) {
    pass_for(version);
    const bool deletes_too = std::string_view{version} == "6.0";
    for (const std::string filter :
         {R"({"x": 77})", R"({"m": 77, "x": 1})", R"({"meta": 77})", R"({"mm": 77})",
          R"({"$or": [{"m": 77}, {"$and": [{"x": 77}]}]})", R"({"$expr": {"$eq": ["$m", 77]}})",
          R"({"m": {"$in": [{"x": 77}]}})"}) {
      EXPECT_EQ(error_of(update(filter)), 72) << version << filter;
      EXPECT_EQ(error_of(remove(filter)), deletes_too ? 72 : 0) << version << filter;
    }
    for (const char* filter : {R"({"m": 77})", R"({"m.a": 77, "$comment": "x"})",
                               R"({"$or": [{"m": 77}, {"$and": [{"m.a": 77}]}]})",
                               R"({"m": {"$elemMatch": {"x": 77}}})"}) {
      EXPECT_EQ(error_of(update(filter)), 0) << version << filter;
      EXPECT_EQ(error_of(remove(filter)), 0) << version << filter;
    }
  }
}

/// mongo 07d77e5061e6: timeseries_update_delete_util.cpp, translateUpdate.
TEST_F(time_series_commands, an_update_may_change_the_meta_field_only) {
  for (const char* version : {"6.0", "8.0", "9.0"}) {
    pass_for(version);
    const auto update = [](const std::string& change) {
      return R"({"update": "c", "updates": [{"multi": true, "q": {"m": 77}, "u": )" + change +
             "}]}";
    };
    for (const char* refused : {R"({"$set": {"x": 1}})", R"({"$set": {"m": 1, "x": 1}})",
                                R"({"$rename": {"m.a": "x"}})", R"([{"$set": {"m": 1}}])"}) {
      EXPECT_EQ(error_of(update(refused)), 72) << refused;
    }
    for (const char* fine : {R"({"$set": {"m.a": 1}})", R"({"$rename": {"m.a": "m.b"}})"}) {
      EXPECT_EQ(error_of(update(fine)), 0) << fine;
    }
  }
}

TEST_F(time_series_commands, only_time_and_meta_may_be_a_shard_key) {
  run_ok(R"({"create": "e", "timeseries": {"timeField": "t"}})");
  EXPECT_EQ(number_argument(run("admin", R"({"shardCollection": "d.e", "key": {"x": 1}})"),
                            "code", 0),
            72);
}

TEST_F(time_series_commands, config_names_the_buckets) {
  const document reply = run_ok("config", R"({"find": "collections", "filter": {}})");
  const array& entries = array_argument(document_argument(reply, "cursor"), "firstBatch");
  ASSERT_EQ(entries.size(), 1U);
  const document& entry = *entries.front().as<document>();
  EXPECT_EQ(text_argument(entry, "_id"), "d.system.buckets.c");
  EXPECT_EQ(to_json(document_argument(entry, "key")),
            to_json(from_json(R"({"control.min.t": 1})")));
  EXPECT_EQ(text_argument(document_argument(entry, "timeseriesFields"), "metaField"), "m");
}

}  // namespace
}  // namespace scattergate::sim
