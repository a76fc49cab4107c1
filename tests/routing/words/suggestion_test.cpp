#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "routing/words/advice.hpp"
#include "routing/words/describe.hpp"
#include "tests/routing/judging_support.hpp"

namespace scattergate::routing_tests {
namespace {

using routing::remedy;
using routing::routing_class;
using strings = std::vector<std::string>;
using entries_ptr = std::shared_ptr<const routing::catalog>;

entries_ptr orders(std::string_view version = "8.0") {
  return catalog_of(R"({"customer": 1, "_id": 1})",
                    R"([{"customer": 0, "_id": 0}, {"customer": 9}])", version);
}

entries_ptr carts() {
  return catalog_of(R"({"_id": "hashed"})", {});
}

std::string suggested(const entries_ptr& entries, const std::string& command) {
  const judged found{entries, command};
  return routing::suggestion(found.verdict(), found.command());
}

struct example {
  std::string command;
  std::string text;
};

void expect_all(const entries_ptr& entries, const std::vector<example>& examples) {
  for (const example& one : examples) {
    EXPECT_EQ(suggested(entries, one.command), one.text) << one.command;
  }
}

const std::string first = "customer (1st of 2 shard key fields)";
const std::string both = first + " and _id (2nd of 2 shard key fields)";

/// The end of the advice for a command that may be for all values of the key's first field.
std::string for_all(const std::string& field) {
  return "; if the command is meant for all values of " + field +
         ", accept it, or find a key that fits: scattergate advise SOURCE --catalog CATALOG "
         "--collection db.c";
}

TEST(suggestion, names_the_field_its_place_in_the_key_and_where_it_goes) {
  const std::string need_not =
      " so that mongos doesn't ask every shard; with equality on it and on _id, mongos asks "
      "one shard" +
      for_all("customer");
  expect_all(
      orders(),
      {{R"({"find": "c", "filter": {"x": 1}})",
        "add equality or a range on " + first + " to the filter" + need_not},
       {R"({"count": "c", "query": {"x": 1}})",
        "add equality or a range on " + first + " to the query" + need_not},
       {R"({"aggregate": "c", "pipeline": [{"$match": {"x": 1}}]})",
        "add equality or a range on " + first + " to a $match at the head of the pipeline" +
            need_not},
       {R"({"aggregate": "c", "pipeline": [{"$geoNear": {"near": [1, 1], "distanceField": "d",
           "query": {"x": 1}}}]})",
        "add equality or a range on " + first + " to the query of its $geoNear" + need_not},
       {R"({"delete": "c", "deletes": [{"q": {"x": 1}, "limit": 0}]})",
        "add equality or a range on " + first + " to the filter" + need_not},
       {R"({"delete": "c", "deletes": [{"q": {"x": 1}, "limit": 0}, {"q": {"y": 1}, "limit": 0}]})",
        "add equality or a range on " + first + " to the filter of every statement" + need_not},
       {R"({"explain": {"count": "c", "query": {"x": 1}, "$db": "db"}})",
        "add equality or a range on " + first + " to the query" + need_not},
       {R"({"find": "c", "filter": {"_id": 1}})",
        "add equality or a range on " + first +
            " to the filter: conditions on later shard key fields help only together with the "
            "first"},
       {R"({"aggregate": "c", "pipeline": [{"$limit": 1}, {"$match": {"customer": 1}}]})",
        "begin the pipeline with a $match that has equality or a range on " + first +
            " so that mongos doesn't ask every shard"},
       {R"({"find": "c", "filter": {"customer": {"$exists": true}}})",
        "add equality or a range on " + first +
            " to the filter: the present conditions on customer don't bound it"},
       {R"({"find": "c", "filter": {"$or": [{"customer": 1}, {"x": 1}]}})",
        "bound " + first +
            " in every branch of the $or, or outside the $or: a single branch without customer "
            "asks every shard"},
       {R"({"aggregate": "o", "pipeline": [{"$lookup": {"from": "c", "localField": "x",
           "foreignField": "y", "as": "z"}}]})",
        "in the $lookup from db.c, use " + first +
            " as foreignField, or begin its pipeline with a $match that has equality or a "
            "range "
            "on " +
            first + " so that the stage doesn't ask every shard"}});
}

TEST(suggestion, of_a_joined_collection_is_about_the_stage_that_joins_it) {
  const example examples[] = {
      {R"({"aggregate": "o", "pipeline": [{"$lookup": {"from": "c", "localField": "x",
           "foreignField": "y", "as": "z"}}]})",
       "in the $lookup from db.c, use customer"},
      {R"({"aggregate": "o", "pipeline": [{"$facet": {"f": [{"$unionWith": {"coll": "c",
           "pipeline": []}}]}}]})",
       "begin the pipeline of the $unionWith of db.c with a $match"}};
  for (const example& one : examples) {
    const judged found{orders(), one.command};
    std::size_t suggestions = 0;
    for (const routing::touch& touched : found.verdict().touches) {
      if (touched.collection != "c") continue;
      const auto seen = found.verdict().verdict_in(touched);
      const std::string text = routing::suggestion(seen, found.command());
      EXPECT_TRUE(text.starts_with(one.text)) << text;
      ++suggestions;
    }
    EXPECT_EQ(suggestions, 1U) << one.command;
  }
}

TEST(suggestion, says_where_no_filter_helps) {
  const std::string listed = "no filter helps: the query lists values of " + first +
                             ", which are on every shard. If the query is frequent, keep the "
                             "values in a separate collection; otherwise accept the query";
  const std::string counted =
      "no filter helps a count of everything: each shard counts its own documents. If the "
      "count is frequent, keep the total in a separate document; otherwise accept the query";
  expect_all(orders(),
             {{R"({"count": "c"})", counted},
              {R"({"count": "c", "query": {}})", counted},
              {R"({"distinct": "c", "key": "customer"})", listed},
              {R"({"distinct": "c", "key": "customer", "query": {"x": 1}})", listed},
              {R"({"distinct": "c", "key": "customer.name"})", listed},
              {R"({"aggregate": "c", "pipeline": [{"$group": {"_id": "$customer"}}]})", listed},
              {R"({"aggregate": "c", "pipeline": [{"$match": {"x": 1}}, {"$sort": {"x": 1}},
                  {"$group": {"_id": {"c": "$customer", "d": "$day"}}}]})",
               listed},
              {R"({"aggregate": "c", "pipeline": [{"$sortByCount": "$customer"}]})", listed},
              {R"({"aggregate": "c", "pipeline": [{"$match": {"customer": {"$ne": null}}},
                  {"$group": {"_id": "$customer"}}]})",
               listed}});
  EXPECT_TRUE(suggested(orders(), R"({"distinct": "c", "key": "_id"})")
                  .starts_with("add equality or a range on " + first));
  EXPECT_TRUE(suggested(orders(), R"({"aggregate": "c", "pipeline": [
      {"$project": {"customer": "$x"}}, {"$group": {"_id": "$customer"}}]})")
                  .starts_with("begin the pipeline"));
}

TEST(suggestion, of_a_ranged_key_is_followed_by_a_range_too) {
  const auto logs = catalog_of(R"({"ts": 1})", {});
  expect_all(logs,
             {{R"({"find": "c", "filter": {"level": "error"}})",
               "add equality or a range on ts (the shard key) to the filter: with "
               "equality, mongos asks one shard" +
                   for_all("ts")},
              {R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"$set": {"y": 1}}}]})",
               "add equality on ts (the shard key) to the filter so that mongos can send "
               "the write to one shard"}});
  for (const char* const as_advised :
       {R"({"find": "c", "filter": {"level": "error", "ts": {"$gte": 1, "$lt": 5}}})",
        R"({"find": "c", "filter": {"level": "error", "ts": 5}})"}) {
    EXPECT_FALSE((judged{logs, as_advised}.verdict().is_scatter_on_sharded())) << as_advised;
  }
}

TEST(suggestion, of_a_command_that_doesnt_know_the_ids_is_another_key) {
  const auto text = [](const std::string& by) {
    return "no filter fits the shard key: only _id identifies a shard, and the command " + by +
           ". If it is frequent, find a key that fits: scattergate advise SOURCE --catalog "
           "CATALOG --collection db.c; "
           "otherwise accept it";
  };
  const std::string whole =
      "no filter fits: the command is for the whole collection, which is on every shard. If "
      "that is intended, accept it";
  for (const auto& entries : {carts(), catalog_of(R"({"_id": 1})", {})}) {
    expect_all(
        entries,
        {{R"({"find": "c", "filter": {"customer": 1}, "sort": {"placed": -1}})",
          text("selects by customer")},
         {R"({"find": "c", "filter": {"customer": 1, "status": "open", "$or": [{"x": 1}]}})",
          text("selects by customer and status")},
         {R"({"count": "c", "query": {"a": 1, "b": 1, "d": 1}})",
          text("selects by a, b and d")},
         {R"({"find": "c", "filter": {"$or": [{"x": 1}, {"y": 1}]}})",
          text("doesn't select by it")},
         {R"({"aggregate": "c", "pipeline": [{"$match": {"day": 1}}, {"$group": {"_id": 1}}]})",
          text("selects by day")},
         {R"({"findAndModify": "c", "query": {"state": "new"}, "sort": {"at": 1},
             "update": {"$set": {"state": "taken"}}})",
          text("selects by state")},
         {R"({"delete": "c", "deletes": [{"q": {"expires": {"$lt": 9}}, "limit": 0}]})",
          text("selects by expires")},
         {R"({"update": "c", "updates": [
             {"q": {"batch": 7}, "u": {"$set": {"done": true}}, "multi": true}]})",
          text("selects by batch")},
         {R"({"find": "c"})", whole},
         {R"({"delete": "c", "deletes": [{"q": {}, "limit": 0}]})", whole}});
    // One document by another unique field: the caller can look up the id first.
    EXPECT_TRUE(suggested(entries, R"({"update": "c", "updates": [
                    {"q": {"email": "a"}, "u": {"$set": {"x": 1}}}]})")
                    .starts_with("add equality on _id"));
  }
}

TEST(suggestion, of_what_reads_everything_says_that_it_may_be_meant) {
  const std::string meant = "; if the command is meant for the whole collection, accept it";
  for (const char* const command :
       {R"({"find": "c"})", R"({"find": "c", "filter": {}})",
        R"({"aggregate": "c", "pipeline": []})",
        R"({"aggregate": "c", "pipeline": [{"$match": {}}, {"$group": {"_id": "$x"}}]})",
        R"({"update": "c", "updates": [{"q": {}, "u": {"$set": {"x": 1}}, "multi": true}]})"}) {
    EXPECT_TRUE(suggested(orders(), command).ends_with(meant)) << suggested(orders(), command);
  }
}

TEST(suggestion, of_an_exclusion_names_values) {
  const auto text = [](const std::string& field) {
    return "use equality or $in with the values of " + field +
           " to find: a condition that only excludes values leaves all others, on every shard; "
           "if the values can't be listed, accept the query";
  };
  expect_all(orders(),
             {{R"({"find": "c", "filter": {"customer": {"$ne": 1}}})", text(first)},
              {R"({"find": "c", "filter": {"customer": {"$nin": [1, 2]}}})", text(first)},
              {R"({"find": "c", "filter": {"$nor": [{"customer": 1}]}})", text(first)}});
  expect_all(
      carts(),
      {{R"({"find": "c", "filter": {"_id": {"$ne": 1}}})", text("_id (the shard key, hashed)")},
       {R"({"find": "c", "filter": {"_id": {"$gt": 1}}})",
        "use equality or $in on _id (the shard key, hashed): a range or a pattern doesn't "
        "narrow a hashed field"}});
}

TEST(suggestion, of_a_write_of_one_document_names_all_that_isnt_given_by_equality) {
  const std::string one = " so that mongos can send the write to one shard";
  expect_all(
      orders(),
      {{R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"$set": {"y": 1}}}]})",
        "add equality on " + both + " to the filter" + one},
       {R"({"update": "c", "updates": [{"q": {"customer": {"$ne": 1}}, "u": {"$set": {"y": 1}}}]})",
        "add equality on " + both + " to the filter" + one},
       {R"({"delete": "c", "deletes": [{"q": {"customer": {"$gt": 1}, "_id": 5}, "limit": 1}]})",
        "add equality on " + first + " to the filter" + one},
       {R"({"findAndModify": "c", "query": {"_id": 1}, "remove": true})",
        "add equality on " + first + " to the query" + one}});
  const std::string refused = ": mongos rejects the command without the full shard key";
  expect_all(orders("6.0"),
             {{R"({"findAndModify": "c", "query": {"customer": 0}, "remove": true})",
               "add equality on _id (2nd of 2 shard key fields) to the query" + refused}});
  expect_all(orders(), {{R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"$set": {"y": 1}},
                            "multi": true, "upsert": true}]})",
                         "add equality on " + both + " to the filter" + refused}});
}

TEST(suggestion, next_to_text_is_the_whole_key_and_else_doesnt_speak_of_it) {
  expect_all(
      orders(),
      {{R"({"find": "c", "filter": {"$text": {"$search": "x"}}})",
        "add equality on " + both +
            " to the filter: next to $text, mongos uses only equality on the whole shard key"},
       {R"({"find": "c", "filter": {"$text": {"$search": "x"}, "customer": 1}})",
        "add equality on _id (2nd of 2 shard key fields) to the filter: next to $text, mongos "
        "uses only equality on the whole shard key"}});
  const std::string near = R"({"find": "c", "filter": {"l": {"$near": [1, 1]}}})";
  EXPECT_NE(suggested(orders("6.0"), near).find("next to $near"), std::string::npos);
  EXPECT_EQ(suggested(orders("7.0"), near).find("next to $near"), std::string::npos);
}

TEST(suggestion, of_strings_under_a_collation_compares_them_exactly) {
  const std::string simple = R"(send the command with the collation {locale: "simple"})";
  const std::string nothing =
      ": under any other collation, strings in " + first +
      " don't narrow the shards; if the command needs its collation, accept it";
  expect_all(
      orders(),
      {{R"({"find": "c", "filter": {"customer": "a"}, "collation": {"locale": "en"}})",
        simple + nothing},
       {R"({"find": "c", "filter": {"customer": {"$ne": "a"}}, "collation": {"locale": "en"}})",
        simple + ", and use equality on " + first + nothing},
       {R"({"update": "c", "updates": [{"q": {"customer": "a"}, "u": {"$set": {"y": 1}},
           "collation": {"locale": "en"}}]})",
        simple + ", and use equality on _id (2nd of 2 shard key fields)" + nothing}});
  EXPECT_TRUE(
      suggested(orders(), R"({"find": "c", "filter": {"x": 1}, "collation": {"locale": "en"}})")
          .find(
              R"(; strings narrow the shards only under the collation {locale: "simple"};)") !=
      std::string::npos);
}

TEST(suggestion, of_what_goes_to_several_shards_says_what_isnt_known) {
  const std::string add =
      "add equality on _id (2nd of 2 shard key fields) to the filter so that mongos can ask "
      "one shard";
  expect_all(orders(), {{R"({"find": "c", "filter": {"customer": 0}})", add},
                        {R"({"find": "c", "filter": {"customer": 5}})", ""},
                        {R"({"find": "c", "filter": {"customer": {"$in": [-5, 5]}}})", ""}});
  expect_all(
      catalog_of(R"({"customer": 1, "_id": 1})", {}),
      {{R"({"find": "c", "filter": {"customer": 0}})",
        add + "; the chunks aren't known, so the command may ask only one shard already"}});
}

TEST(suggestion, of_a_time_series_names_its_measurements_fields) {
  const auto entries = catalog_of(R"({"collections": [{"ns": "db.c",
      "key": {"meta.id": 1, "control.min.t": 1},
      "timeSeries": {"time": "t", "meta": "sensor", "span": 3600}}]})");
  expect_all(
      entries,
      {{R"({"find": "c", "filter": {"x": 1}})",
        "add equality or a range on sensor.id (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard" +
            for_all("sensor.id")},
       {R"({"find": "c", "filter": {"sensor.id": 1}})",
        "add a range of t (2nd of 2 shard key fields) to the filter so that mongos can ask one "
        "shard; the chunks aren't known, so the command may ask only one shard already"}});
  EXPECT_TRUE(suggested(entries, R"({"distinct": "c", "key": "sensor.id"})")
                  .starts_with("no filter helps"));
}

TEST(suggestion, counts_fields_in_english) {
  std::string key;
  std::string filter;
  for (int i = 0; i < 23; ++i) {
    key += (i == 0 ? "" : ", ") + ("\"f" + std::to_string(i)) + "\": 1";
  }
  const auto entries = catalog_of("{" + key + "}", {});
  const std::pair<int, std::string> cases[] = {
      {0, "1st"},   {1, "2nd"},   {2, "3rd"},   {3, "4th"},   {10, "11th"},
      {11, "12th"}, {12, "13th"}, {20, "21st"}, {21, "22nd"}, {22, "23rd"}};
  for (const auto& [field, place] : cases) {
    filter.clear();
    for (int i = 0; i < 23; ++i) {
      if (i == field) continue;
      filter += (filter.empty() ? "" : ", ") + ("\"f" + std::to_string(i)) + "\": 1";
    }
    const std::string text = suggested(
        entries, R"({"findAndModify": "c", "remove": true, "query": {)" + filter + "}}");
    EXPECT_NE(text.find("on f" + std::to_string(field) + " (" + place + " of 23"),
              std::string::npos)
        << text;
  }
}

TEST(suggestion, of_a_finding_next_to_the_class_is_given_if_the_class_needs_none) {
  const auto changes_key = R"({"update": "c", "updates": [
      {"q": {"customer": 5, "_id": 1}, "u": {"$set": {"customer": 6}}}]})";
  EXPECT_EQ(
      suggested(orders(), changes_key),
      "to change a shard key field, send the command in a transaction or as a retryable write");
  EXPECT_EQ(
      suggested(orders(), R"({"createIndexes": "c", "indexes": [
                {"key": {"y": 1}, "name": "y", "unique": true}]})"),
      R"(begin the unique index with the shard key's fields {"customer":1,"_id":1}: mongos )"
      "rejects any other, and a hashed index can't be unique");
  EXPECT_EQ(suggested(orders(), R"({"collStats": "c"})"), "");
}

TEST(suggestion, of_what_mongos_refuses_says_what_to_mend) {
  expect_all(orders(),
             {{R"({"insert": "c", "documents": [{"customer": [1]}]})",
               R"(don't insert an array on the path of the shard key {"customer":1,"_id":1}: )"
               "mongos rejects it"},
              {R"({"find": "c", "filter": {"a": {"$nonsense": 1}}})",
               "fix the filter: mongos rejects one of its operators or operands"},
              {R"({"find": "c", "filter": {"$expr": {"$nonsense": 1}}})",
               "fix the $expr: mongos doesn't know one of its operators"},
              {R"({"aggregate": "c", "pipeline": [{"$nonsense": 1}]})",
               "fix the pipeline: mongos doesn't know one of its stages"},
              {R"({"update": "c", "updates": [{"q": {}, "u": {"x": 1}, "multi": true}]})",
               "replace one document at a time: mongos rejects a replacement with multi"}});
  EXPECT_TRUE(suggested(orders("4.4"), R"({"aggregate": "o", "pipeline": [
                  {"$lookup": {"from": "c", "localField": "x", "foreignField": "y", "as": "z"}}]})")
                  .starts_with("use an unsharded collection"));
  EXPECT_TRUE(suggested(orders("9.0"), R"({"update": "c", "updates": [
                  {"q": {"customer": 1, "_id": 1}, "u": {"$set": {"x": 1}}, "c": {"y": 1}}]})")
                  .starts_with("omit the constants"));
}

TEST(suggestion, is_empty_where_no_shard_key_is_concerned) {
  expect_all(orders(),
             {{R"({"find": "other", "filter": {"x": 1}})", ""}, {R"({"ping": 1})", ""}});
}

// The property: who does as advised is better off.

/// `$F` stands for the filter, `$M` for a stage before all others.
const strings& templates() {
  static const strings all = {
      R"({"find": "c", "filter": $F$C})",
      R"({"count": "c", "query": $F$C})",
      R"({"distinct": "c", "key": "x", "query": $F$C})",
      R"({"distinct": "c", "key": "b", "query": $F$C})",
      R"({"mapReduce": "c", "map": "f", "reduce": "g", "out": {"inline": 1}, "query": $F$C})",
      R"({"aggregate": "c", "pipeline": [$M{"$match": $F}, {"$group": {"_id": "$x"}}]$C})",
      R"({"aggregate": "c", "pipeline": [$M{"$sort": {"x": 1}}, {"$match": $F}]$C})",
      R"({"aggregate": "c", "pipeline": [$M{"$limit": 5}, {"$match": $F}]$C})",
      R"({"aggregate": "c", "pipeline": [{"$geoNear": {"near": [1, 1], "distanceField": "d",
          "query": $F}}]$C})",
      R"({"update": "c", "updates": [{"q": $F, "u": {"$set": {"x": 1}}$C}]})",
      R"({"update": "c", "updates": [{"q": $F, "u": {"$set": {"x": 1}}, "multi": true$C}]})",
      R"({"update": "c", "updates": [{"q": $F, "u": {"$set": {"x": 1}}, "upsert": true$C}]})",
      R"({"update": "c", "updates": [{"q": $F, "u": {"$set": {"x": 1}}, "multi": true,
          "upsert": true$C}]})",
      R"({"delete": "c", "deletes": [{"q": $F, "limit": 1$C}]})",
      R"({"delete": "c", "deletes": [{"q": $F, "limit": 0$C}]})",
      R"({"findAndModify": "c", "query": $F, "remove": true$C})",
      R"({"findAndModify": "c", "query": $F, "update": {"$set": {"x": 1}}, "upsert": true$C})",
      R"({"bulkWrite": 1, "ops": [{"delete": 0, "filter": $F$C}], "nsInfo": [{"ns": "db.c"}],
          "$db": "admin"})",
      R"({"explain": {"find": "c", "filter": $F, "$db": "db"$C}})",
  };
  return all;
}

const strings& predicates() {
  static const strings all = {
      R"("x": 1)",
      R"("a": 7)",
      R"("a": "s")",
      R"("b": 7)",
      R"("a": {"$ne": 1})",
      R"("a": {"$ne": "s"})",
      R"("a": {"$nin": [1, "s"]})",
      R"("a": {"$not": {"$gt": 5}})",
      R"("$nor": [{"a": 1}])",
      R"("a": {"$gt": 1})",
      R"("a": {"$in": [1, 7, 30]})",
      R"("a": {"$exists": true})",
      R"("a": {"~type": "string"})",
      R"("a": {"$size": 1})",
      R"("a": [1, 2])",
      R"("a": {"$elemMatch": {"k": 1}})",
      R"("b": {"$gt": 1})",
      R"("b": {"$ne": 1})",
      R"("$or": [{"a": 7}, {"x": 1}])",
      R"("$or": [{"a": "s"}, {"a": 7}])",
      R"("$or": [{"a": 7, "b": 7}, {"b": 1}])",
      R"("$expr": {"$eq": ["$a", 7]})",
      R"("$expr": {"$ne": ["$a", "$b"]})",
      R"("$text": {"$search": "x"})",
      R"("l": {"$near": [1, 1]})",
      R"("_id": 1)",
      R"("$where": "1")",
  };
  return all;
}

/// Two equalities on one field contradict each other: what mongos makes of that isn't advised.
bool is_equality_on_first(const std::string& predicate) {
  static const strings all = {R"("a": 7)", R"("a": "s")", R"("a": [1, 2])",
                              R"("a": {"$in": [1, 7, 30]})", R"("$expr": {"$eq": ["$a", 7]})"};
  return std::ranges::find(all, predicate) != all.end();
}

/// Whether one asks for a value that the other denies, which is a contradiction too.
bool is_asked_and_denied(const std::string& asked, const std::string& denied) {
  const bool asks = asked == R"("a": "s")" || asked == R"("$or": [{"a": "s"}, {"a": 7}])";
  return asks && (denied == R"("a": {"$ne": "s"})" || denied == R"("a": {"$nin": [1, "s"]})");
}

bool do_contradict(const std::string& one, const std::string& other) {
  return (is_equality_on_first(one) && is_equality_on_first(other)) ||
         is_asked_and_denied(one, other) || is_asked_and_denied(other, one);
}

/// Every predicate alone, and some pairs.
strings filters(std::mt19937& random) {
  strings all = {"{}"};
  for (const std::string& one : predicates()) {
    all.push_back("{" + one + "}");
    const std::string& other = predicates()[random() % predicates().size()];
    if (&one != &other && !do_contradict(one, other))
      all.push_back("{" + one + ", " + other + "}");
  }
  return all;
}

void replace(std::string& in, std::string_view what, const std::string& by) {
  if (const auto at = in.find(what); at != in.npos) in.replace(at, what.size(), by);
}

struct made_command {
  std::string text;
  std::string filter;
  bool has_collation = false;

  [[nodiscard]] std::string as_sent(const std::string& stage = {}) const {
    std::string whole = text;
    replace(whole, "$F", filter);
    replace(whole, "$M", stage);
    replace(whole, "$C", has_collation ? R"(, "collation": {"locale": "en"})" : "");
    return whole;
  }
};

/// The command of a user who follows the advice.
std::string as_advised(made_command given, const routing::advice& what,
                       const routing::collection& on) {
  std::string equalities;
  for (std::size_t i = 0; i < on.key.size(); ++i) {
    if (!what.fields.contains(i)) continue;
    equalities += (equalities.empty() ? "\"" : ", \"") + on.key[i].path + "\": 7";
  }
  if (what.what == remedy::simple_collation) given.has_collation = false;
  if (equalities.empty()) return given.as_sent();
  // No place that a document can have.
  if (what.fields.contains(0)) replace(given.filter, R"("a": [1, 2])", R"("x": 1)");
  // No stage may stand before a $match with $text.
  const bool has_text = given.filter.find("$text") != std::string::npos;
  if (given.text.find("$M") != std::string::npos && !has_text) {
    return given.as_sent(R"({"$match": {)" + equalities + "}}, ");
  }
  given.filter = R"({"$and": [)" + given.filter + ", {" + equalities + "}]}";
  return given.as_sent();
}

bool is_better(const routing::verdict& now, const routing::verdict& before) {
  if (now.refused != routing::refusal::none) return false;
  if (now.routing == routing_class::single_shard) return true;
  return before.routing == routing_class::scatter_gather &&
         now.routing == routing_class::multi_shard;
}

constexpr std::size_t small_scratch = 64UL << 10;

/// Follows what is advised about one command; false if nothing is.
bool follow(const entries_ptr& entries, const made_command& given) {
  const judged before{entries, given.as_sent(), small_scratch};
  const auto what = routing::advice_of(
      before.verdict(), routing::advice_facts_of(before.command(), before.verdict()));
  const std::string words = routing::suggestion(before.verdict(), before.command());
  if (before.verdict().is_scatter_on_sharded()) {
    EXPECT_NE(what.what, remedy::none) << given.as_sent();
    EXPECT_NE(words, "") << given.as_sent();
  }
  if (what.what == remedy::none || what.what == remedy::accept ||
      what.what == remedy::other_key) {
    return false;
  }
  const std::string changed = as_advised(given, what, *before.verdict().judged);
  const judged after{entries, changed, small_scratch};
  // An upsert with $expr is refused, whatever key it has.
  if (after.verdict().refused == routing::refusal::query_feature_not_allowed) return false;
  EXPECT_TRUE(is_better(after.verdict(), before.verdict()))
      << given.as_sent() << "\n -> " << before.why() << "\n"
      << changed << "\n -> " << after.why() << "\n"
      << words;
  return true;
}

TEST(suggestion, makes_a_command_go_to_fewer_shards_when_it_is_followed) {
  std::mt19937 random{1};
  std::size_t followed = 0;
  for (const char* const version : {"4.4", "6.0", "8.0"}) {
    for (const char* const key : {R"({"a": 1})", R"({"a": 1, "b": 1})", R"({"a": "hashed"})",
                                  R"({"a": "hashed", "b": 1})", R"({"a": 1, "b": "hashed"})",
                                  R"({"a": 1, "_id": 1})"}) {
      const auto entries = catalog_of(key, {}, version);
      for (const std::string& text : templates()) {
        for (const std::string& filter : filters(random)) {
          followed += follow(entries, {text, filter, random() % 3 == 0}) ? 1 : 0;
          ASSERT_FALSE(testing::Test::HasFailure()) << version << " " << key;
        }
      }
    }
  }
  EXPECT_GT(followed, 5'000U);
}

}  // namespace
}  // namespace scattergate::routing_tests
