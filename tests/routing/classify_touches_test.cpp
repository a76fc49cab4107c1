#include <string>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// The collections that a command touches, and one statement's verdict among others.
namespace scattergate::routing_tests {
namespace {

using routing::routing_class;

std::shared_ptr<const routing::catalog> touches_catalog(std::string_view version = "8.0") {
  return catalog_of(R"({"version": ")" + std::string{version} + R"(", "collections": [
      {"ns": "db.a", "key": {"p": 1}, "splits": [{"p": 10}]},
      {"ns": "db.b", "key": {"k": 1}, "splits": [{"k": 10}]},
      {"ns": "db.v", "viewOn": "b", "pipeline": [{"$match": {"x": 1}}]},
      {"ns": "db.local"}]})");
}

/// "db.a single_shard, db.b scatter_gather"; followed by a "+" if there may be more.
std::string touches_of(const judged& found) {
  std::string text;
  for (const routing::touch& one : found.verdict().touches) {
    if (!text.empty()) text += ", ";
    text.append(one.database).append(".").append(one.collection).append(" ");
    text.append(label(one.routing));
    if (one.refused != routing::refusal::none) text += " refused";
  }
  return found.verdict().may_touch_more ? text + "+" : text;
}

TEST(classify_touches, every_namespace_with_its_own_judgement) {
  struct {
    std::string_view command;
    std::string_view expected;
  } const rows[] = {
      {R"({"find": "a"})", ""},
      {R"({"aggregate": "a", "pipeline": [{"$match": {"p": 5}}]})", ""},
      {R"({"update": "a", "updates": [{"q": {}, "u": {"$set": {"x": 1}}, "multi": true}]})",
       ""},
      {R"({"aggregate": "a", "pipeline": [{"$match": {"p": 5}}, {"$unionWith": "b"}]})",
       "db.a single_shard, db.b scatter_gather"},
      {R"({"aggregate": "a", "pipeline": [{"$collStats": {}}, {"$unionWith": "b"}]})",
       "db.a scatter_gather, db.b scatter_gather"},
      {R"({"aggregate": "local", "pipeline": [{"$lookup": {"from": "b", "as": "x",
           "localField": "l", "foreignField": "k"}}]})",
       "db.local unsharded, db.b multi_shard"},
      {R"({"aggregate": "local", "pipeline": [{"$facet": {"f": [{"$lookup": {"from": "b",
           "pipeline": [{"$unionWith": "a"}], "as": "x"}}]}}]})",
       "db.local unsharded, db.b scatter_gather, db.a scatter_gather"},
      {R"({"aggregate": "local", "pipeline": [{"$unionWith": {"pipeline": [
           {"$documents": []}, {"$unionWith": "b"}]}}]})",
       "db.local unsharded, db. not_routed, db.b scatter_gather"},
      {R"({"aggregate": 1, "pipeline": [{"$documents": []}, {"$unionWith": "b"}]})",
       "db. not_routed, db.b scatter_gather"},
      {R"({"aggregate": "local", "pipeline": [{"$merge": "a"}]})",
       "db.local unsharded, db.a multi_shard"},
      {R"({"aggregate": "local", "pipeline": [{"$out": {"db": "db", "coll": "a"}}]})",
       "db.local unsharded, db.a unknown refused"},
      {R"({"mapReduce": "local", "out": {"replace": "a", "merge": "b"}})",
       "db.local unsharded, db.a unknown refused, db.b unknown refused"},
      {R"({"mapReduce": "local", "out": {"reduce": "other"}})",
       "db.local unsharded, db.other unsharded"},
      {R"({"find": "v"})", "db.v scatter_gather, db.b scatter_gather"},
      {R"({"explain": {"aggregate": "local", "pipeline": [{"$unionWith": "b"}]}})",
       "db.local unsharded, db.b scatter_gather"},
      {R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.local"}, {"ns": "db.a"}],
           "ops": [{"insert": 0, "document": {}}, {"delete": 1, "filter": {}, "multi": true}]})",
       "db.local unsharded, db.a scatter_gather"},
      {R"({"delete": "a", "deletes": [{"q": {"p": 5}, "limit": 0}, {"q": {}, "limit": 0},
                                      {"q": {"p": 6}, "limit": 0}]})",
       "db.a single_shard, db.a scatter_gather"},
  };
  for (const auto& [command, expected] : rows) {
    EXPECT_EQ(touches_of(judged{touches_catalog(), command}), expected) << command;
  }
}

TEST(classify_touches, what_cant_be_determined_may_be_anything) {
  const std::string_view rows[] = {
      R"({"aggregate": "local", "pipeline": [{"$lookup": {"from": "local", "from": "b",
          "pipeline": [], "as": "x"}}]})",
      R"({"explain": {"find": "a", "filter": {"p": 5}, "filter": {}}})",
      R"({"explain": {"find": "a", "filter": {"p": 5}, "$db": "other"}, "$db": "db"})"};
  for (const std::string_view command : rows) {
    EXPECT_TRUE(judged(touches_catalog(), command).verdict().may_touch_more) << command;
  }
}

TEST(classify_touches, facets_too_deep_are_unknown_and_may_touch_anything) {
  std::string stages = R"([{"$unionWith": "b"}])";
  for (int level = 0; level < 70; ++level) stages = R"([{"$facet": {"f": )" + stages + "}}]";
  const judged found{touches_catalog(),
                     R"({"aggregate": "local", "pipeline": )" + stages + "}"};
  EXPECT_EQ(found.why(), "unknown too_deep");
  EXPECT_TRUE(found.verdict().may_touch_more);
}

TEST(classify_touches, more_namespaces_than_are_kept_are_not_dropped_silently) {
  std::string names;
  std::string ops;
  for (int i = 0; i < 100; ++i) {
    names += (i == 0 ? R"({"ns": "db.n)" : R"(, {"ns": "db.n)") + std::to_string(i) + "\"}";
    ops += (i == 0 ? R"({"insert": )" : R"(, {"insert": )") + std::to_string(i) +
           R"(, "document": {}})";
  }
  const judged found{touches_catalog(), R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [)" +
                                            names + R"(], "ops": [)" + ops + "]}"};
  EXPECT_TRUE(found.verdict().may_touch_more);
  EXPECT_EQ(found.why(), "unknown too_deep");
  EXPECT_EQ(found.verdict().statements[static_cast<std::size_t>(routing_class::unsharded)],
            100U);
}

TEST(classify_touches, what_has_no_name_that_a_collection_can_have_is_unreadable) {
  for (const std::string_view command :
       {R"({"find": 5})", R"({"find": ""})", R"({"count": {"$uuid":
            "00000000-0000-4000-8000-000000000000"}})",
        R"({"aggregate": {"$code": "a"}, "pipeline": []})", R"({"find": "a\u0000b"})",
        R"({"find": "c", "$db": "db.a"})", R"({"update": "a"})",
        R"({"update": "a", "updates": {}})"}) {
    EXPECT_EQ(judged(touches_catalog(), command).why(), "unknown unreadable") << command;
  }
}

TEST(classify_touches, an_argument_of_another_command_is_none) {
  EXPECT_EQ(
      judged(touches_catalog(), R"({"distinct": "a", "query": {}, "filter": {"p": 5}})").why(),
      "scatter_gather missing_key");
  EXPECT_EQ(
      judged(touches_catalog(), R"({"find": "a", "filter": {}, "query": {"p": 5}})").why(),
      "scatter_gather missing_key");
}

TEST(classify_touches, an_unknown_source_hides_no_foreign_scatter) {
  const auto entries = catalog_of(R"({"unlisted": "unknown", "collections": [
      {"ns": "db.b", "key": {"k": 1}}]})");
  EXPECT_EQ(judged(entries, R"({"aggregate": "x", "pipeline": [{"$unionWith": "b"}]})").why(),
            "scatter_gather foreign_scatter");
}

TEST(classify_batches, refused_statements_dont_hide_the_others) {
  const std::string refused = R"({"q": {"x": {"$bad": 1}}, "u": {"$set": {"x": 1}}})";
  const std::string one = R"({"q": {"p": 5}, "u": {"$set": {"x": 1}}})";
  const std::string all = R"({"q": {}, "u": {"$set": {"x": 1}}, "multi": true})";
  struct {
    std::string statements;
    bool ordered;
    std::string_view expected;
  } const rows[] = {
      {refused + "," + one, false, "single_shard 0"},
      {one + "," + refused, false, "single_shard 0"},
      {refused + "," + all, false, "scatter_gather 0,1"},
      {all + "," + refused, true, "scatter_gather 0,1"},
      {one + "," + refused + "," + all, true, "single_shard 0"},
      {one + "," + refused + "," + all, false, "scatter_gather 0,1"},
      {refused, false, "unknown"},
      {refused + "," + refused, false, "unknown"},
  };
  for (const auto& [statements, ordered, expected] : rows) {
    const judged found{touches_catalog(), R"({"update": "a", "ordered": )" +
                                              std::string{ordered ? "true" : "false"} +
                                              R"(, "updates": [)" + statements + "]}"};
    EXPECT_EQ(found.where(), expected) << statements;
    EXPECT_EQ(found.verdict().refused, routing::refusal::bad_value) << statements;
  }
}

TEST(classify_batches, what_mongos_refuses_for_lack_of_a_key_counts_only_alone) {
  const std::string keyless = R"({"q": {"x": 5}, "u": {"$set": {"x": 1}}})";
  const std::string one = R"({"q": {"p": 5}, "u": {"$set": {"x": 1}}})";
  const auto where = [&](const std::string& statements) {
    return judged(touches_catalog("7.0"),
                  R"({"update": "a", "ordered": false, "updates": [)" + statements + "]}")
        .where();
  };
  EXPECT_EQ(where(keyless), "scatter_gather 0,1");
  EXPECT_EQ(where(keyless + "," + one), "single_shard 0");
  EXPECT_EQ(where(one + "," + keyless), "single_shard 0");
}

TEST(classify_batches, what_cant_be_read_doesnt_outrank_a_scatter) {
  EXPECT_EQ(judged(touches_catalog(), R"({"delete": "a", "ordered": false, "deletes": [
                               {"q": {}, "limit": 0}, {"q": 5, "limit": 0}]})")
                .why(),
            "scatter_gather missing_key");
}

}  // namespace
}  // namespace scattergate::routing_tests
