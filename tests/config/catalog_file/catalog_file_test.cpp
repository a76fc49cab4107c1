#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/load.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/problem.hpp"

namespace scattergate::config {
namespace {

using testing::ElementsAre;

class catalog_file : public testing::Test {
 protected:
  loaded_catalog load(std::string_view yaml) {
    return load_catalog(folder.write("catalog.yaml", yaml));
  }
  loaded_catalog load_good(std::string_view yaml) {
    loaded_catalog loaded = load(yaml);
    for (const text::problem& one : loaded.problems) ADD_FAILURE() << to_string(one);
    return loaded;
  }

  test::temporary_folder folder;
};

/// A further collection, which no problem with another one may affect.
constexpr std::string_view good_one = "  - {namespace: good.one, shardKey: {k: 1}}\n";

/// The only unreadable collection of a catalog whose other collection is good_one.
text::problem only_fault(const loaded_catalog& loaded) {
  for (const text::problem& one : loaded.problems) ADD_FAILURE() << to_string(one);
  if (!loaded.value || loaded.value->faults().size() != 1) return {"?", "not one fault"};
  const auto* good = loaded.value->find("good", "one");
  EXPECT_TRUE(good != nullptr && good->is_sharded());
  const auto& fault = loaded.value->faults().front();
  const auto* bad = loaded.value->find("a", "b");
  EXPECT_EQ(bad != nullptr && bad->is_unreadable, fault.name_space == "a.b");
  return as_problem(fault);
}

std::vector<std::string> key_of(const routing::collection& entry) {
  std::vector<std::string> fields;
  for (const auto& field : entry.key) fields.push_back(field.path + (field.hashed ? "#" : ""));
  return fields;
}

constexpr std::string_view two_chunks =
    "    chunks:\n"
    "      - {min: {a: {$minKey: 1}}, max: {a: 5}, shard: s1}\n"
    "      - {min: {a: 5}, max: {a: {$maxKey: 1}}, shard: s0}\n";

TEST_F(catalog_file, is_read_with_everything_that_it_may_hold) {
  const auto loaded = load_good(R"(
schemaVersion: 1
version: "7.0"
unlisted: unknown
collections:
  - namespace: shop.orders.2024
    shardKey: {customer.id: 1, _id: hashed}
    collation: {locale: en, strength: 2}
  - namespace: shop.carts
    shardKey: {"a": {"$numberLong": "1"}}
    unique: true
    collation: {locale: simple}
    chunks:
      - {min: {a: {$minKey: 1}}, max: {a: 5}, shard: s1}
      - {"min": {"a": 5}, "max": {"a": {"$maxKey": 1}}, "shard": "s0"}
  - namespace: shop.small
  - namespace: shop.tracked
    shardKey: {_id: 1}
    unsplittable: true
    chunks: [{min: {_id: {$minKey: 1}}, max: {_id: {$maxKey: 1}}, shard: s0}]
  - {namespace: shop.cold, viewOn: orders.2024, pipeline: [{$match: {cold: true}}]}
  - {namespace: shop.metrics, shardKey: {meta: 1}, timeseries: true}
  - namespace: shop.system.buckets.weather
    shardKey: {meta.place: 1, control.min.at: 1}
    timeseries: {timeField: at, metaField: sensor, bucketMaxSpanSeconds: 86400}
rules:
  - {name: carts, match: {namespace: shop.carts}, action: accept}
)");
  ASSERT_TRUE(loaded.value);
  const routing::catalog& catalog = *loaded.value;
  EXPECT_FALSE(catalog.is_absent());
  EXPECT_EQ(catalog.version(), (routing::server_version{7, 0}));
  EXPECT_EQ(catalog.unlisted(), routing::unlisted_policy::unknown);
  EXPECT_THAT(catalog.shards(), ElementsAre("s0", "s1"));

  const auto* orders = catalog.find("shop", "orders.2024");
  ASSERT_TRUE(orders);
  EXPECT_THAT(key_of(*orders), ElementsAre("customer.id", "_id#"));
  EXPECT_FALSE(orders->simple_collation);
  EXPECT_TRUE(orders->chunks.is_empty());

  const auto* carts = catalog.find("shop", "carts");
  ASSERT_TRUE(carts);
  EXPECT_THAT(key_of(*carts), ElementsAre("a"));
  EXPECT_TRUE(carts->unique);
  EXPECT_TRUE(carts->simple_collation);
  EXPECT_EQ(carts->chunks.size(), 2U);

  EXPECT_FALSE(catalog.find("shop", "small")->is_sharded());
  EXPECT_FALSE(catalog.find("shop", "tracked")->is_sharded());
  EXPECT_TRUE(catalog.find("shop", "metrics")->is_time_series);
  EXPECT_FALSE(catalog.find("shop", "metrics")->series);
  ASSERT_TRUE(catalog.buckets_of("shop", "weather"));
  EXPECT_EQ(catalog.buckets_of("shop", "weather")->series,
            (routing::time_series{"at", "sensor", 86'400, 3'600}));

  const auto* cold = catalog.find("shop", "cold");
  ASSERT_TRUE(cold);
  EXPECT_EQ(cold->view_on, "orders.2024");
  const auto pipeline = wire::document_view::from(cold->view_pipeline);
  ASSERT_TRUE(pipeline);
  EXPECT_EQ(wire::count_fields(*pipeline), 1U);

  ASSERT_EQ(loaded.rules.size(), 1U);
  EXPECT_EQ(loaded.rules[0].name, "carts");
}

TEST_F(catalog_file, needs_no_more_than_collections) {
  const auto loaded = load_good("collections: []\n");
  EXPECT_EQ(loaded.value->version(), (routing::server_version{8, 0}));
  EXPECT_EQ(loaded.value->unlisted(), routing::unlisted_policy::unsharded);
  EXPECT_TRUE(load_good("collections:\n  - namespace: a.v\n    viewOn: b\n")
                  .value->find("a", "v")
                  ->is_view());
}

TEST_F(catalog_file, reads_versions_as_servers_report_them) {
  const auto version = [&](const std::string& text) {
    return load_good("version: " + text + "\ncollections: []\n").value->version();
  };
  EXPECT_EQ(version("\"6.0\""), (routing::server_version{6, 0}));
  EXPECT_EQ(version("7.1"), (routing::server_version{7, 1}));
  EXPECT_EQ(version("8.0.12"), (routing::server_version{8, 0, 12}));
  EXPECT_EQ(version("8"), (routing::server_version{8, 0}));
}

TEST_F(catalog_file, streams_chunks_from_a_file_next_to_it) {
  folder.write("chunks.jsonl",
               "{\"min\":{\"a\":{\"$minKey\":1}},\"max\":{\"a\":5},\"shard\":\"s0\"}\r\n"
               "\n"
               "{\"min\":{\"a\":5},\"max\":{\"a\":{\"$maxKey\":1}},\"shard\":\"s1\"}");
  const auto loaded = load_good(
      "collections:\n  - {namespace: a.b, shardKey: {a: 1}, chunksFile: chunks.jsonl}\n");
  EXPECT_EQ(loaded.value->find("a", "b")->chunks.size(), 2U);
}

TEST_F(catalog_file, is_refused_with_the_line_of_each_problem) {
  struct row {
    const char* yaml;
    const char* line;
    const char* says;
  };
  const row rows[] = {
      {"", "1", "an empty catalog"},
      {"collections: [\n", "2", ""},
      {"version: '8.0'\n", "1", "collections are missing"},
      {"collections: []\nshards: []\n", "2", "unknown key 'shards' in a catalog"},
      {"schemaVersion: 2\ncollections: []\n", "1", "expected 1"},
      {"version: latest\ncollections: []\n", "1", "the server's version"},
      {"version: 2.6\ncollections: []\n", "1", "the server's version"},
      {"version: 8.0.x\ncollections: []\n", "1", "the server's version"},
      {"unlisted: maybe\ncollections: []\n", "1", "unsharded or unknown"},
      {"collections:\n  a: 1\n", "2", "collections must be a list"},
      {"collections: []\nrules:\n  - action: accept\n", "3", "a rule needs a name"},
  };
  for (const row& one : rows) {
    const auto loaded = load(one.yaml);
    ASSERT_FALSE(loaded.problems.empty()) << one.yaml;
    const text::problem& first = loaded.problems.front();
    EXPECT_EQ(first.where, folder.path_of("catalog.yaml:") + one.line) << one.yaml;
    EXPECT_NE(first.what.find(one.says), std::string::npos) << one.yaml << to_string(first);
    EXPECT_FALSE(loaded.value);
  }
}

TEST_F(catalog_file, counts_a_collection_with_a_problem_as_unknown) {
  struct row {
    const char* yaml;
    const char* line;
    const char* says;
  };
  const row rows[] = {
      {"collections:\n  - a.b\n", "2", "a collection must be a map"},
      {"collections:\n  - shardKey: {a: 1}\n", "2", "needs a namespace"},
      {"collections:\n  - namespace: users\n", "2", "expected database.collection"},
      {"collections:\n  - namespace: a.b\n    sharedKey: {a: 1}\n", "3", "'sharedKey'"},
      {"collections:\n  - namespace: a.b\n  - namespace: a.b\n", "3", "twice"},
      {"collections:\n  - namespace: a.b\n    timeseries: {timeField: t, span: 1}\n", "3",
       "'span'"},
      {"collections:\n  - namespace: a.b\n    timeseries: {timeField: t}\n", "2",
       "bucketMaxSpanSeconds"},
      {"collections:\n  - namespace: a.b\n    timeseries: {bucketMaxSpanSeconds: 0}\n", "3",
       "from 1 to 31536000"},
      {"collections:\n  - namespace: a.b\n    timeseries: {bucketMaxSpanSeconds: 60}\n", "2",
       "needs a timeField"},
      {"collections:\n  - namespace: a.b\n    shardKey: {sensor: 1}\n    timeseries: "
       "{timeField: t, metaField: sensor, bucketMaxSpanSeconds: 60}\n",
       "2", "isn't one of its buckets' fields"},
      {"collections:\n  - namespace: a.b\n    shardKey: a\n", "3", "must be a document"},
      {"collections:\n  - namespace: a.b\n    shardKey: {}\n", "3", "shardKey is empty"},
      {"collections:\n  - namespace: a.b\n    shardKey: {a: -1}\n", "3", "must be 1 or hashed"},
      {"collections:\n  - namespace: a.b\n    shardKey: {a: text}\n", "3",
       "must be 1 or hashed"},
      {"collections:\n  - namespace: a.b\n    shardKey: {a: hashed, b: hashed}\n", "2",
       "hashed"},
      {"collections:\n  - namespace: a.b\n    shardKey: {a: 1, a: 1}\n", "2", "doubled"},
      {"collections:\n  - namespace: a.b\n    shardKey: {a: 1}\n    unique: maybe\n", "4",
       "true or false"},
      {"collections:\n  - namespace: a.b\n    collation: {strength: 2}\n", "3", "a locale"},
      {"collections:\n  - namespace: a.b\n    collation: {locale: en, x: 2}\n", "3", "'x'"},
      {"collections:\n  - namespace: a.b\n    pipeline: []\n", "2", "without viewOn"},
      {"collections:\n  - namespace: a.b\n    viewOn: c\n    pipeline: {}\n", "4", "a list"},
      {"collections:\n  - namespace: a.b\n    chunks: []\n    chunksFile: x\n", "4",
       "not both"},
      {"collections:\n  - namespace: a.b\n    shardKey: {a: 1}\n    chunksFile: x\n", "4",
       "No such file"},
      {"collections:\n  - namespace: a.b\n    shardKey: {x.$y: 1}\n", "2", "starts with $"},
      {"collections:\n  - namespace: a.b\n    collation: simple\n", "3", "must be a map"},
      {"collections:\n  - namespace: a.b\n    shardKey: {a: 1}\n    shardKey: {b: 1}\n", "4",
       "given twice"},
      {"collections:\n  - namespace: a.b\n    viewOn: c\n    pipeline: [{$match: {a: 007}}]\n",
       "4", "'007'"},
      {"collections:\n  - namespace: a.b\n    viewOn: c\n    pipeline: [5]\n", "2",
       "a stage that isn't a document"},
      {"collections:\n  - namespace: a.b\n    shardKey: {a: 1, b: 0}\n    unique: maybe\n", "3",
       "(and 1 more)"},
  };
  for (const row& one : rows) {
    const auto found = only_fault(load(one.yaml + std::string{good_one}));
    EXPECT_EQ(found.where, folder.path_of("catalog.yaml:") + one.line) << one.yaml;
    EXPECT_NE(found.what.find(one.says), std::string::npos) << one.yaml << found.what;
  }
}

TEST_F(catalog_file, reads_what_follows_any_number_of_bad_collections) {
  std::string yaml = "collections:\n";
  for (int i = 0; i < 300; ++i) {
    yaml += "  - {namespace: a.c" + std::to_string(i) + ", shardKey: {x: 5}, unique: 7}\n";
  }
  const auto loaded = load_good(yaml + std::string{good_one});
  EXPECT_EQ(loaded.value->faults().size(), 300U);
  EXPECT_TRUE(loaded.value->find("good", "one")->is_sharded());
  EXPECT_TRUE(loaded.value->find("a", "c299")->is_unreadable);
}

TEST_F(catalog_file, counts_a_collection_with_bad_chunks_as_unknown) {
  struct row {
    const char* chunk;  // the second of two, on line 6
    const char* says;
  };
  const row rows[] = {
      {"5", "expected a chunk {min, max, shard}"},
      {"{min: {a: 5}, max: {a: {$maxKey: 1}}}", "needs min, max and shard"},
      {"{min: {a: 5}, max: {a: {$maxKey: 1}}, shard: s, jumbo: true}", "unknown key 'jumbo'"},
      {"{min: {a: 5}, min: {a: 5}, max: {a: 6}, shard: s}", "given twice"},
      {"{min: 5, max: {a: {$maxKey: 1}}, shard: s}", "min must be a document"},
      {"{min: {a: 5}, max: [], shard: s}", "max must be a document"},
      {"{min: {a: 5}, max: {a: 6}, shard: {}}", "a shard's id"},
      {"{min: {a: {$oid: x}}, max: {a: 6}, shard: s}", "min: malformed $oid"},
      {"{min: {a: 5}, max: {a: 007}, shard: s}", "max: '007'"},
      {"{min: {b: 5}, max: {a: 6}, shard: s}", ""},
      {"{min: {a: 6}, max: {a: 5}, shard: s}", ""},
      {"{min: {a: 5}, max: {a: 6}, shard: ''}", "no shard"},
  };
  for (const row& one : rows) {
    const auto loaded =
        load(std::string{"collections:\n  - namespace: a.b\n    shardKey: {a: 1}\n"
                         "    chunks:\n"
                         "      - {min: {a: {$minKey: 1}}, max: {a: 5}, shard: s}\n"
                         "      - "} +
             one.chunk + "\n" + std::string{good_one});
    const auto found = only_fault(loaded);
    EXPECT_EQ(found.where, folder.path_of("catalog.yaml:6")) << one.chunk;
    EXPECT_NE(found.what.find(one.says), std::string::npos) << one.chunk << found.what;
  }
}

TEST_F(catalog_file, names_the_chunks_that_leave_a_gap) {
  const auto loaded = load(
      "collections:\n  - namespace: a.b\n    shardKey: {a: 1}\n    chunks:\n"
      "      - {min: {a: {$minKey: 1}}, max: {a: 5}, shard: s}\n" +
      std::string{good_one});
  EXPECT_EQ(only_fault(loaded).where, folder.path_of("catalog.yaml:4"));
  const auto unsharded = load("collections:\n  - namespace: a.b\n" + std::string{two_chunks} +
                              std::string{good_one});
  EXPECT_NE(only_fault(unsharded).what.find("no shard key"), std::string::npos);
}

TEST_F(catalog_file, names_the_line_of_the_chunks_file) {
  const std::string yaml =
      "collections:\n  - {namespace: a.b, shardKey: {a: 1}, chunksFile: chunks.jsonl}\n" +
      std::string{good_one};
  const std::string good =
      "{\"min\":{\"a\":{\"$minKey\":1}},\"max\":{\"a\":5},\"shard\":\"s\"}\n";
  const std::string bad[] = {"{", "5", "{\"min\":{}}", "[" + std::string(2 << 20, ' ') + "]",
                             std::string(100'000, '[')};
  for (const std::string& line : bad) {
    const std::string chunks = folder.write("chunks.jsonl", good + line + "\n");
    const auto loaded = load(yaml);
    EXPECT_EQ(only_fault(loaded).where, chunks + ":2");
    EXPECT_EQ(loaded.files.size(), 1U);
  }
}

TEST_F(catalog_file, reports_a_chunks_file_that_is_a_folder) {
  const auto loaded = load(
      "collections: [{namespace: a.b, shardKey: {a: 1}, chunksFile: .},"
      " {namespace: good.one, shardKey: {k: 1}}]\n");
  EXPECT_EQ(only_fault(loaded).where, folder.path_of("catalog.yaml:1"));
}

TEST_F(catalog_file, may_be_absent_only_where_none_is_named) {
  const auto none = load_catalog("");
  ASSERT_TRUE(none.value);
  EXPECT_TRUE(none.value->is_absent());
  EXPECT_THAT(none.problems, ElementsAre());
  const std::string absent = folder.path_of("absent.yaml");
  EXPECT_THAT(load_catalog(absent).problems,
              ElementsAre(text::problem{absent, "cannot be read: No such file or directory"}));
}

}  // namespace
}  // namespace scattergate::config
