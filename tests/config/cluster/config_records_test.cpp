#include "config/cluster/config_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/cluster/cluster_formats.hpp"
#include "tests/support/json_document.hpp"

namespace scattergate::config {
namespace {

using kind = collection_record::kind;
using tests::json_document;

collection_record collection_in(const std::string& json) {
  return read_collection(json_document{json}.view());
}

std::vector<std::string> key_of(const routing::collection& entry) {
  std::vector<std::string> fields;
  for (const auto& field : entry.key) fields.push_back(field.path + (field.hashed ? "#" : ""));
  return fields;
}

class each_version : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(formats, each_version,
                         testing::Values("4.4", "5.0", "6.0", "7.0", "8.0", "8.2"),
                         [](const auto& of) {
                           std::string name{of.param};
                           name[1] = '_';
                           return name;
                         });

TEST_P(each_version, gives_key_collation_and_incarnation) {
  const auto record = collection_in(tests::collection_text(GetParam(), tests::orders));
  EXPECT_EQ(record.what, kind::sharded);
  EXPECT_EQ(record.made.full_name(), "shop.orders");
  EXPECT_THAT(key_of(record.made), testing::ElementsAre("customer", "_id#"));
  EXPECT_TRUE(record.made.simple_collation);
  EXPECT_EQ(record.is.uuid.size(), 16U);
  EXPECT_EQ(record.is.epoch.size(), 12U);
  const bool is_new = GetParam() != std::string_view{"4.4"};
  EXPECT_EQ(record.is.at.has_value(), is_new);
  EXPECT_EQ(record.is.has_chunks_by_uuid(), is_new);

  const auto collated = collection_in(tests::collection_text(GetParam(), tests::people));
  EXPECT_TRUE(collated.made.unique);
  EXPECT_FALSE(collated.made.simple_collation);
  const auto locale = wire::find_field(collated.made.default_collation_view(), "locale");
  ASSERT_TRUE(locale);
  EXPECT_EQ(locale->as_string(), "de");
}

TEST(config_records, read_a_hashed_key_that_claims_to_be_unique) {
  const auto record =
      collection_in(R"({"_id": "shop.orders", "key": {"_id": "hashed"}, "unique": true})");
  EXPECT_EQ(record.what, kind::sharded);
  EXPECT_THAT(key_of(record.made), testing::ElementsAre("_id#"));
  EXPECT_FALSE(record.made.unique);
}

TEST_P(each_version, gives_chunks_of_their_collection) {
  const auto of = collection_in(tests::collection_text(GetParam(), tests::orders));
  const auto other = collection_in(tests::collection_text(GetParam(), tests::people));
  const json_document text{tests::chunk_text(GetParam(), tests::orders, R"({"customer": 1})",
                                             R"({"customer": 2})", "shard1", 7, 3)};
  const auto chunk = read_chunk(text.view());
  ASSERT_TRUE(chunk);
  EXPECT_TRUE(chunk->is_of(of.made, of.is));
  EXPECT_FALSE(chunk->is_of(other.made, other.is));
  EXPECT_EQ(chunk->shard, "shard1");
  EXPECT_EQ(chunk->version, (chunk_version{7, 3}));
  EXPECT_EQ(wire::find_field(chunk->max, "customer")->as_int64(), 2);
}

struct collection_case {
  const char* json;
  kind what;
};

TEST(config_records, sort_collections_by_what_they_are) {
  const collection_case cases[] = {
      {R"({"_id": "a.b", "key": {"x": 1}})", kind::sharded},
      {R"({"_id": "a.b", "key": {"x": 1}, "dropped": false, "new": {"in": 9.0}})",
       kind::sharded},
      {R"({"_id": "a.b", "key": {"x": 1}, "dropped": true})", kind::skipped},
      {R"({"_id": "a.b", "dropped": true})", kind::skipped},
      {R"({"_id": "a.system.resharding.x", "key": {"x": 1}})", kind::skipped},
      {R"({"_id": "a.b", "key": {"_id": 1}, "unsplittable": true})", kind::unsharded},
      {R"({"_id": "a.b", "unsplittable": true})", kind::unsharded},
      {R"({"_id": "a.b"})", kind::unreadable},
      {R"({"_id": "a.b", "key": {}})", kind::unreadable},
      {R"({"_id": "a.b", "key": {"x": "2dsphere"}})", kind::unreadable},
      {R"({"_id": "a.b", "key": {"x": "hashed", "y": "hashed"}})", kind::unreadable},
      {R"({"_id": "a.b", "key": "x"})", kind::unreadable},
      {R"({"_id": "a.b", "key": {"x": 1}, "defaultCollation": 5})", kind::unreadable},
      {R"({"_id": 5, "key": {"x": 1}})", kind::nameless},
      {R"({"_id": "nodot", "key": {"x": 1}})", kind::nameless},
      {R"({"key": {"x": 1}})", kind::nameless},
      {R"({})", kind::nameless},
  };
  for (const auto& [json, what] : cases) {
    const auto record = collection_in(json);
    EXPECT_EQ(record.what, what) << json;
    EXPECT_EQ(record.why.empty(), what != kind::unreadable && what != kind::nameless) << json;
  }
}

TEST(config_records, take_the_simple_collation_for_none) {
  for (const char* collation : {R"({})", R"({"locale": "simple"})"}) {
    const auto record =
        collection_in(std::string(R"({"_id": "a.b", "key": {"x": 1}, "defaultCollation": )") +
                      collation + "}");
    EXPECT_EQ(record.what, kind::sharded);
    EXPECT_TRUE(record.made.simple_collation) << collation;
    EXPECT_TRUE(record.made.default_collation.empty());
  }
}

TEST(config_records, see_time_series) {
  const auto record = collection_in(
      R"({"_id": "a.system.buckets.b", "key": {"meta": 1}, "timeseriesFields": {"timeField": "t"}})");
  EXPECT_EQ(record.what, kind::sharded);
  EXPECT_TRUE(record.made.is_time_series);
  const routing::time_series seconds{"t", "", 3600, 60};
  EXPECT_FALSE(record.made.series);  // no meta field, so `meta` is no key
  const auto series_of = [](const std::string& key, const std::string& fields) {
    return collection_in(R"({"_id": "a.system.buckets.b", "key": )" + key +
                         R"(, "timeseriesFields": )" + fields + "}")
        .made.series;
  };
  // As mongos reads them (mongo: type_collection_common_types.idl, timeseries_options.cpp).
  EXPECT_EQ(series_of(R"({"control.min.t": 1})", R"({"timeField": "t"})"), seconds);
  EXPECT_EQ(series_of(R"({"meta.x": 1, "control.min.t": 1})",
                      R"({"timeField": "t", "metaField": "m", "granularity": "hours"})"),
            (routing::time_series{"t", "m", 2'592'000, 86'400}));
  EXPECT_EQ(series_of(R"({"meta": "hashed"})",
                      R"({"timeField": "t", "metaField": "m", "bucketMaxSpanSeconds": 900,
                          "bucketRoundingSeconds": 900})"),
            (routing::time_series{"t", "m", 900, 900}));
  for (const char* odd : {R"({"metaField": "m"})", R"({"timeField": "t", "metaField": "m",
       "bucketMaxSpanSeconds": -1})",
                          R"({"timeField": 5, "metaField": "m"})"}) {
    EXPECT_FALSE(series_of(R"({"meta": 1})", odd)) << odd;
  }
  EXPECT_FALSE(series_of(R"({"customer": 1})", R"({"timeField": "t", "metaField": "m"})"));
}

TEST(config_records, refuse_chunks_that_lack_something) {
  const char* bad[] = {
      R"({"max": {"a": 1}, "shard": "s"})",
      R"({"min": {"a": 1}, "shard": "s"})",
      R"({"min": {"a": 1}, "max": {"a": 2}})",
      R"({"min": {"a": 1}, "max": {"a": 2}, "shard": 5})",
      R"({"min": 1, "max": {"a": 2}, "shard": "s"})",
  };
  for (const char* json : bad) EXPECT_FALSE(read_chunk(json_document{json}.view())) << json;
  const json_document plain{
      R"({"min": {"a": 1}, "max": {"a": 2}, "shard": "s", "lastmod": 5})"};
  const auto chunk = read_chunk(plain.view());
  ASSERT_TRUE(chunk);
  EXPECT_FALSE(chunk->version);
}

TEST(config_records, distinguish_chunks_of_an_earlier_collection_of_that_name) {
  const auto of = collection_in(tests::collection_text("4.4", tests::orders));
  tests::described before = tests::orders;
  before.mark = 'z';
  const json_document text{
      tests::chunk_text("4.4", before, R"({"customer": 1})", R"({"customer": 2})", "s", 1, 0)};
  EXPECT_FALSE(read_chunk(text.view())->is_of(of.made, of.is));
}

/// A view in mongod's reply to listCollections (mongo: list_collections.cpp, buildViewBson).
TEST(config_records, read_views) {
  const json_document listed{R"({"name": "recent", "type": "view", "options":
      {"viewOn": "orders", "pipeline": [{"$match": {"a": 1}}], "collation": {"locale": "de"}},
      "info": {"readOnly": true}})"};
  const auto record = read_view("shop", listed.view());
  ASSERT_TRUE(record);
  EXPECT_EQ(record->why, "");
  const routing::collection& view = record->made;
  EXPECT_EQ(view.full_name(), "shop.recent");
  EXPECT_EQ(view.view_on, "orders");
  EXPECT_FALSE(view.simple_collation);
  const json_document stages{R"({"0": {"$match": {"a": 1}}})"};
  EXPECT_TRUE(std::ranges::equal(view.view_pipeline, stages.view().bytes()));
  for (const char* other :
       {R"({"name": "c", "type": "collection", "options": {"viewOn": "x", "pipeline": []}})",
        R"({"name": "c", "type": "timeseries", "options": {"timeseries": {"timeField": "t"}}})",
        R"({"type": "view", "options": {"viewOn": "x", "pipeline": []}})"}) {
    EXPECT_FALSE(read_view("shop", json_document{other}.view())) << other;
  }
}

TEST(config_records, say_why_a_view_is_unreadable) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"viewOn": "x"})", "its pipeline isn't a list of stages"},
      {R"({"viewOn": "x", "pipeline": 5})", "its pipeline isn't a list of stages"},
      {R"({"viewOn": "x", "pipeline": [5]})", "its pipeline has a stage that isn't a document"},
      {R"({"pipeline": []})", "its viewOn isn't a name"},
      {R"({"viewOn": "x", "pipeline": [], "collation": 5})", "its collation isn't a document"},
      {R"(5)", "it has no options"},
  };
  for (const auto& [options, why] : cases) {
    const json_document listed{R"({"name": "v*", "type": "view", "options": )" +
                               std::string{options} + "}"};
    const auto view = read_view("shop", listed.view());
    ASSERT_TRUE(view) << options;
    EXPECT_EQ(view->why, why);
    EXPECT_EQ(view->made.full_name(), "shop.v*");
  }
}

TEST(config_records, read_versions) {
  using version = routing::server_version;
  EXPECT_EQ(parse_server_version("7.0.14"), (version{7, 0, 14}));
  EXPECT_EQ(parse_server_version("4.4.0-rc1"), (version{4, 4, 0}));
  EXPECT_EQ(parse_server_version("8.2.1-alpha"), (version{8, 2, 1}));
  for (const char* bad : {"", "8", "8.", "x.y", ".5", "99999999999.0"}) {
    EXPECT_FALSE(parse_server_version(bad)) << bad;
  }
  EXPECT_EQ(version_of_wire(25), (version{8, 0}));
  EXPECT_EQ(version_of_wire(22), (version{7, 0}));
  EXPECT_EQ(version_of_wire(9), (version{4, 4}));
  EXPECT_EQ(version_of_wire(0), (version{3, 6}));
}

TEST(config_records, read_shards_databases_and_the_cluster) {
  const json_document shard{R"({"_id": "s1", "host": "s1/h:1", "draining": true, "x": 1})"};
  EXPECT_EQ(read_shard(shard.view()), (shard_record{"s1", "s1/h:1", true}));
  EXPECT_FALSE(read_shard(json_document{R"({"host": "h"})"}.view()));
  const json_document database{R"({"_id": "d", "primary": "s1", "partitioned": true})"};
  EXPECT_EQ(read_database(database.view()), (database_record{"d", "s1"}));
  EXPECT_FALSE(read_database(json_document{R"({"_id": 5})"}.view()));
  const json_document version{
      R"({"_id": 1, "clusterId": {"$oid": "64b000000000000000000001"}})"};
  EXPECT_EQ(read_cluster_id(version.view()).size(), 12U);
  EXPECT_TRUE(read_cluster_id(json_document{R"({"_id": 1})"}.view()).empty());
}

}  // namespace
}  // namespace scattergate::config
