#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"
#include "tests/routing/shape_support.hpp"
#include "tests/support/allocation_counter.hpp"
#include "wire/command.hpp"

/// The data path, classify() and shape_hash(), doesn't allocate, for any command, however
/// expensive, and with any amount of scratch memory.
namespace scattergate::routing_tests {
namespace {

std::shared_ptr<const routing::catalog> no_heap_catalog(std::string_view version) {
  return catalog_of(R"({"version": ")" + std::string{version} + R"(", "collections": [
    {"ns": "db.ranged", "key": {"p": 1}, "splits": [{"p": 10}, {"p": 20}]},
    {"ns": "db.hashed", "key": {"p": "hashed"}, "splits": [{"p": {"$numberLong": "0"}}]},
    {"ns": "db.compound", "key": {"p": 1, "q": 1, "r": "hashed"},
     "splits": [{"p": 10, "q": 5}, {"p": 20}]},
    {"ns": "db.collated", "key": {"p": 1}, "collation": {"locale": "en"}, "splits": [{"p": 10}]},
    {"ns": "db.system.buckets.series", "key": {"meta": 1, "control.min.at": 1},
     "timeSeries": {"time": "at", "meta": "p", "span": 3600}, "splits": [{"meta": 10}]},
    {"ns": "db.local"},
    {"ns": "db.view", "viewOn": "ranged", "pipeline": [{"$match": {"p": 5}}]}]})");
}

/// `count` texts, joined by commas.
std::string list_of(int count, const std::function<std::string(int)>& text) {
  std::string list;
  for (int i = 0; i < count; ++i) list += (i > 0 ? "," : "") + text(i);
  return list;
}

std::string numbers(int count) {
  return "[" + list_of(count, [](int i) { return std::to_string(i * 7 % 31); }) + "]";
}

struct no_heap_row {
  std::string command;
  std::string_view where;  ///< class and fan-out by 8.0: the command is what it is meant to be
};

std::string find(std::string_view from, std::string_view filter, std::string_view more = "") {
  return R"({"find": ")" + std::string{from} + R"(", "filter": )" + std::string{filter} +
         std::string{more} + "}";
}

std::string aggregate(std::string_view from, std::string_view stages) {
  return R"({"aggregate": ")" + std::string{from} + R"(", "cursor": {}, "pipeline": [)" +
         std::string{stages} + "]}";
}

std::vector<no_heap_row> reads() {
  return {
      {find("ranged", R"({"p": 5})"), "single_shard 0"},
      {find("ranged", R"({"p": {"$gte": 5, "$lt": 12}, "x": 1})"), "multi_shard 0,1"},
      {find("series", R"({"p": 5, "$or": [{"at": {"$gt": {"$date": "2020-01-01T00:00:00Z"}}},
                          {"p": 7}]})"),
       "single_shard 0"},
      {find("hashed", R"({"p": {"$oid": "57e193d7a9cc81b4027498b5"}})"), "single_shard 0"},
      {find("hashed", R"({"p": {"a": [1, {"b": "text"}]}})"), "single_shard 1"},
      {find("compound", R"({"p": {"$in": [1, 25]}, "q": {"$gt": 3}, "r": 1})"),
       "multi_shard 0,2"},
      {find("compound", R"({"p": 5, "q": 5, "r": "x"})"), "single_shard 0"},
      {find("ranged", R"({"$or": [{"p": 5}, {"$and": [{"p": {"$gt": 20}}, {"x": 1}]}]})"),
       "multi_shard 0,2"},
      {find("ranged", R"({"p": {"$in": )" + numbers(1'000) + "}}"), "multi_shard 0,1,2"},
      {find("hashed", R"({"p": {"$in": )" + numbers(1'000) + "}}"), "multi_shard 0,1"},
      {find("compound",
            R"({"p": {"$in": )" + numbers(100) + R"(}, "q": {"$in": )" + numbers(100) + "}}"),
       "multi_shard 0,1,2"},
      {find("ranged", R"({"p": {"$regularExpression": {"pattern": "^ab", "options": ""}}})"),
       "single_shard 2"},
      {find("ranged", R"({"p": {"$elemMatch": {"$gt": 5, "$lt": 8}}})"), "single_shard 0"},
      {find("ranged", R"({"$expr": {"$and": [{"$eq": ["$p", 15]}, {"$gt": ["$x", 1]}]}})"),
       "single_shard 1"},
      {find("ranged", R"({"$expr": {"$eq": ["$p", "$$v"]}})", R"(, "let": {"v": 15})"),
       "single_shard 1"},
      {find("ranged", R"({"p": {"$not": {"$in": [1, 2]}}, "$nor": [{"p": 3}]})"),
       "scatter_gather 0,1,2"},
      {find("ranged", R"({"p": {"$type": ["string", "array"]}})"), "scatter_gather 0,1,2"},
      {find("ranged", R"({"p": "text"})", R"(, "collation": {"locale": "fr"})"),
       "scatter_gather 0,1,2"},
      {find("collated", R"({"p": "text"})"), "scatter_gather 0,1"},
      {find("view", R"({"x": 1})"), "single_shard 0"},
      {find("local", "{}"), "unsharded"},
      {R"({"count": "ranged", "query": {"p": {"$gt": 15}}})", "multi_shard 1,2"},
      {R"({"distinct": "ranged", "key": "x", "query": {"p": 5}})", "single_shard 0"},
      {R"({"mapReduce": "ranged", "map": {"$code": "f"}, "reduce": {"$code": "g"},
           "query": {"p": 5}, "out": {"inline": 1}})",
       "single_shard 0"},
  };
}

std::vector<no_heap_row> pipelines() {
  return {
      {aggregate("ranged", R"({"$sort": {"x": 1}}, {"$match": {"p": 5}}, {"$count": "n"})"),
       "single_shard 0"},
      {aggregate("ranged", R"({"$match": {"p": 5}}, {"$lookup": {"from": "hashed", "as": "y",
         "localField": "x", "foreignField": "p"}})"),
       "multi_shard 0,1"},
      {aggregate("ranged", R"({"$match": {"p": 5}}, {"$lookup": {"from": "compound", "as": "y",
         "let": {"v": "$x"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$p", "$$v"]}}}]}})"),
       "multi_shard 0,1,2"},
      {aggregate("ranged", R"({"$graphLookup": {"from": "ranged", "startWith": "$x", "as": "y",
         "connectFromField": "x", "connectToField": "p"}})"),
       "scatter_gather 0,1,2"},
      {aggregate("ranged", R"({"$match": {"p": 5}}, {"$unionWith": {"coll": "hashed",
         "pipeline": [{"$match": {"p": {"$in": [1, 2, 3]}}}]}})"),
       "multi_shard 0,1"},
      {aggregate("ranged", R"({"$match": {"p": 5}}, {"$facet": {"a": [{"$lookup": {"as": "y",
         "from": "hashed", "localField": "x", "foreignField": "z"}}], "b": [{"$count": "n"}]}})"),
       "scatter_gather 0,1"},
      {aggregate("view", R"({"$match": {"x": 1}}, {"$lookup": {"from": "view", "as": "y",
         "localField": "x", "foreignField": "z"}})"),
       "single_shard 0"},
      {aggregate("ranged", R"({"$match": {"p": 5}}, {"$merge": {"into": "hashed"}})"),
       "multi_shard 0,1"},
      {aggregate("ranged", R"({"$geoNear": {"near": [0, 0], "query": {"p": 5}}})"),
       "single_shard 0"},
      {aggregate("ranged", R"({"$changeStream": {}})"), "scatter_gather 0,1,2"},
      {aggregate("ranged", list_of(100,
                                   [](int i) {
                                     return R"({"$match": {"x)" + std::to_string(i) +
                                            R"(": 1, "p": {"$gt": 5}}})";
                                   })),
       "multi_shard 0,1,2"},
  };
}

std::vector<no_heap_row> writes() {
  return {
      {R"({"insert": "ranged", "documents": [{"p": 5}]})", "single_shard 0"},
      {R"({"insert": "series", "documents": [{"p": 15, "at": {"$date": "2020-01-01T00:00:00Z"}}]})",
       "single_shard 1"},
      {R"({"insert": "compound", "documents": [)" +
           list_of(100,
                   [](int i) {
                     return R"({"p": )" + std::to_string(i) +
                            R"(, "q": "text", "r": {"x": 1}})";
                   }) +
           "]}",
       "multi_shard 0,1,2"},
      {R"({"update": "ranged", "updates": [)" +
           list_of(100,
                   [](int i) {
                     return R"({"q": {"p": )" + std::to_string(i) +
                            R"(}, "u": {"$set": {"x": 1}}})";
                   }) +
           "]}",
       "single_shard 0,1,2"},
      {R"({"update": "ranged", "updates": [{"q": {"_id": 5}, "u": {"p": 7, "x": 1}},
           {"q": {"x": 5}, "u": [{"$set": {"p": 1}}], "upsert": true},
           {"q": {"p": {"$gt": 5}}, "u": {"$unset": {"p": 1}}, "multi": true}]})",
       "scatter_gather 0,1,2"},
      {R"({"delete": "hashed", "deletes": [{"q": {"p": {"$in": [1, 2]}}, "limit": 0},
           {"q": {"_id": 5}, "limit": 1}]})",
       "scatter_gather 0,1"},
      {R"({"findAndModify": "compound", "query": {"p": 5, "q": {"$lt": 3}}, "upsert": true,
           "update": {"$set": {"x": 1}, "$inc": {"q": 1}}})",
       "single_shard 0"},
      {R"({"findAndModify": "ranged", "query": {"x": 5}, "remove": true})",
       "scatter_gather 0,1,2"},
      {R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.ranged"}, {"ns": "db.hashed"}],
           "ops": [{"insert": 0, "document": {"p": 5}},
           {"update": 1, "filter": {"p": 5}, "updateMods": {"$set": {"x": 1}}},
           {"delete": 0, "filter": {"p": {"$in": )" +
           numbers(1'000) + R"(}}, "multi": true}]})",
       "multi_shard 0,1,2"},
  };
}

std::vector<no_heap_row> others() {
  return {
      {R"({"createIndexes": "ranged", "indexes": [{"key": {"x": 1}, "unique": true}]})",
       "scatter_gather 0,1,2"},
      {R"({"getMore": {"$numberLong": "5"}, "collection": "ranged"})", "unknown"},
      {R"({"killCursors": "ranged", "cursors": [{"$numberLong": "5"}]})", "unknown"},
      {R"({"hello": 1, "client": {"application": {"name": "shop"}}})", "not_routed"},
      {R"({"noSuchCommand": "ranged", "x": [1, 2]})", "unknown"},
      {find("ranged", R"({"p": {"$noSuchOperator": 1}})"), "unknown"},
  };
}

/// The heap memory that judging the command allocates, its shape included, with any scratch.
std::size_t allocations_of(const wire::command& command, const routing::catalog& entries) {
  std::size_t most = 0;
  for (const std::size_t size :
       {routing::scratch_bytes, std::size_t{8192}, std::size_t{512}, std::size_t{0}}) {
    lent_scratch lent{size};
    const tests::allocation_counter counter;
    static_cast<void>(routing::classify(command, entries, lent.memory()));
    static_cast<void>(routing::shape_hash(command, lent.memory()));
    most = std::max(most, counter.count());
  }
  return most;
}

void expect_no_heap(const wire::command& command, std::string_view what) {
  static const auto old_entries = no_heap_catalog("6.0");
  static const auto entries = no_heap_catalog("8.0");
  EXPECT_EQ(allocations_of(command, *old_entries), 0U) << what;
  EXPECT_EQ(allocations_of(command, *entries), 0U) << what;
}

void expect_no_heap(std::string_view json) {
  const json_command given{json};
  wire::command command = given.command();
  if (command.database.empty()) command.database = "db";
  expect_no_heap(command, json.substr(0, 300));
}

TEST(the_heap, is_left_alone_by_every_command_however_dear) {
  const auto entries = no_heap_catalog("8.0");
  for (const auto& rows : {reads(), pipelines(), writes(), others()}) {
    for (const no_heap_row& one : rows) {
      expect_no_heap(one.command);
      EXPECT_EQ(judged(entries, one.command).where(), one.where) << one.command.substr(0, 300);
      expect_no_heap(R"({"explain": )" + one.command + R"(, "verbosity": "queryPlanner"})");
    }
  }
}

TEST(the_heap, is_left_alone_by_every_kind_of_command) {
  for (std::size_t i = 0; i < routing::command_kind_count; ++i) {
    const std::string name{routing::name_of(static_cast<routing::command_kind>(i))};
    expect_no_heap(R"({")" + name + R"(": "ranged"})");
    expect_no_heap(R"({")" + name + R"(": {"find": "ranged", "filter": {"p": 5}}})");
  }
}

TEST(the_heap, is_left_alone_by_documents_next_to_the_body) {
  json_command insert{R"({"insert": "hashed", "$db": "db"})"};
  insert.add_sequence("documents", std::vector<std::string>(100, R"({"p": {"a": [1, "x"]}})"));
  expect_no_heap(insert.command(), "insert");

  json_command update{R"({"update": "ranged", "$db": "db"})"};
  update.add_sequence(
      "updates", std::vector<std::string>(100, R"({"q": {"p": 5}, "u": {"$set": {"x": 1}}})"));
  expect_no_heap(update.command(), "update");

  json_command bulk{R"({"bulkWrite": 1, "$db": "admin"})"};
  bulk.add_sequence("ops",
                    std::vector<std::string>(
                        100, R"({"update": 1, "filter": {"p": 5}, "updateMods": {"p": 6}})"));
  bulk.add_sequence("nsInfo", {R"({"ns": "db.hashed"})", R"({"ns": "db.ranged"})"});
  expect_no_heap(bulk.command(), "bulkWrite");
}

TEST(the_heap, is_left_alone_where_the_scratch_runs_out_and_the_verdict_says_so) {
  const auto entries = no_heap_catalog("8.0");
  for (const std::string& command :
       {find("ranged", R"({"p": {"$in": )" + numbers(1'000) + "}}"),
        find("hashed", R"({"p": {"$in": )" + numbers(1'000) + "}}"),
        std::string{R"({"insert": "ranged", "documents": [{"p": 5}]})"},
        aggregate("ranged", R"({"$match": {"p": 5}})")}) {
    EXPECT_FALSE(judged(entries, command).verdict().widened) << command.substr(0, 100);
    EXPECT_TRUE(judged(entries, command, 0).verdict().widened) << command.substr(0, 100);
  }
}

}  // namespace
}  // namespace scattergate::routing_tests
