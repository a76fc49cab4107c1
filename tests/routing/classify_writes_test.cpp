#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"
#include "tests/routing/shape_support.hpp"
#include "tests/routing/thirds.hpp"

namespace scattergate::routing_tests {
namespace {

using routing::reason;
using routing::refusal;

judged insert(std::string_view into, std::string_view documents) {
  return {thirds(), R"({"insert": ")" + std::string{into} + R"(", "documents": )" +
                        std::string{documents} + "}"};
}

TEST(classify_insert, without_an_id_goes_to_a_known_shard_where_that_owns_all_it_may_be) {
  const auto entries = catalog_of(R"({"customer": 1, "_id": 1})",
                                  R"([{"customer": 5, "_id": 5}, {"customer": 10}])");
  const auto into = [&](const std::string& documents) {
    return judged{entries, R"({"insert": "c", "documents": )" + documents + "}"}.where();
  };
  EXPECT_EQ(into(R"([{"customer": 1}])"), "single_shard 0");
  EXPECT_EQ(into(R"([{"customer": 1}, {"customer": 2}])"), "single_shard 0");
  EXPECT_EQ(into(R"([{"customer": 7}])"), "single_shard 1");
  EXPECT_EQ(into(R"([{"customer": 1}, {"customer": 11}])"), "multi_shard 0,2");
  EXPECT_EQ(into(R"([{"customer": 5}])"), "single_shard ?");  // by its _id, which mongos makes
  EXPECT_EQ(into(R"([{"x": 1}])"), "single_shard 0");
}

TEST(classify_insert, each_document_goes_by_its_own_key) {
  EXPECT_EQ(insert("c", R"([{"p": 5}])").where(), "single_shard 0");
  EXPECT_EQ(insert("c", R"([{"p": 5}, {"p": 6}])").where(), "single_shard 0");
  EXPECT_EQ(insert("c", R"([{"p": 5}, {"p": 25}])").where(), "multi_shard 0,2");
  EXPECT_EQ(insert("c", R"([{"x": 5}])").where(), "single_shard 0");  // missing is null
  EXPECT_EQ(insert("local", R"([{"x": 5}])").where(), "unsharded");
  EXPECT_EQ(insert("pairs", R"([{"a": {"b": 50}, "c": 1}])").where(), "single_shard 1");
  EXPECT_EQ(insert("pairs", R"([{"a": 50}])").where(), "single_shard 0");
  EXPECT_EQ(insert("pairs", R"([{"a": {"b": {"$gt": 1}}}])").where(), "single_shard 1");
}

TEST(classify_insert, an_array_on_the_keys_path_is_refused) {
  for (const std::string_view document : {R"([{"a": [1, 2]}])", R"([{"a": {"b": [1]}}])",
                                          R"([{"c": [1]}])", R"([{"a": [{"b": 1}]}])"}) {
    EXPECT_EQ(insert("pairs", document).verdict().refused, refusal::shard_key_not_found)
        << document;
  }
}

TEST(classify_insert, an_id_that_mongos_has_yet_to_make_is_anywhere) {
  EXPECT_EQ(insert("ids", R"([{"x": 1}])").where(), "single_shard ?");
  EXPECT_EQ(insert("ids", R"([{"_id": 1}])").verdict().bounds, routing::bounds_kind::point);
}

TEST(classify_insert, where_chunks_are_unknown_different_keys_are_several_points) {
  const auto unknown = catalog_of(R"({"p": 1})", "");
  EXPECT_EQ(judged(unknown, R"({"insert": "c", "documents": [{"p": 5}, {"p": 5.0}]})").where(),
            "single_shard ?");
  EXPECT_EQ(judged(unknown, R"({"insert": "c", "documents": [{"p": 5}, {"p": 6}]})").why(),
            "multi_shard many_values");
}

// mongo 4.4: chunk_manager.cpp, findIntersectingChunk.
TEST(classify_insert, max_key_has_no_place_in_4_4_and_5_0_0) {
  const std::string_view writes[] = {
      R"({"insert": "c", "documents": [{"a": {"$maxKey": 1}}]})",
      R"({"delete": "c", "deletes": [{"q": {"a": {"$maxKey": 1}}, "limit": 1}]})",
      R"({"delete": "c", "deletes": [{"q": {"a": {"~type": 127}}, "limit": 1}]})",
      R"({"findAndModify": "c", "query": {"a": {"$maxKey": 1}}, "remove": true})",
  };
  for (const std::string_view version : {"4.4", "5.0.0"}) {
    const auto entries = catalog_of(R"({"a": 1})", R"([{"a": 10}])", version);
    for (const std::string_view each : writes) {
      EXPECT_EQ(judged(entries, each).verdict().refused, routing::refusal::shard_key_not_found)
          << version << each;
    }
  }
  const auto later = catalog_of(R"({"a": 1})", R"([{"a": 10}])", "8.0");
  EXPECT_EQ(judged(later, writes[0]).where(), "single_shard 1");
  EXPECT_EQ(judged(later, writes[1]).where(), "single_shard 1");
}

TEST(classify_insert, counts_every_document) {
  const judged found = insert("c", R"([{"p": 5}, {"p": 25}, {"p": 26}])");
  const auto& counts = found.verdict().statements;
  EXPECT_EQ(counts[static_cast<std::size_t>(routing::routing_class::single_shard)], 3U);
}

TEST(classify_insert, reads_documents_next_to_the_body_too) {
  json_command command{R"({"insert": "c", "$db": "db"})"};
  command.add_sequence("documents", {R"({"p": 5})", R"({"p": 15})"});
  std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  const auto entries = thirds();
  const auto verdict = routing::classify(command.command(), *entries, memory);
  EXPECT_EQ(verdict.routing, routing::routing_class::multi_shard);
  EXPECT_EQ(names_of(verdict.fanout, *entries), "0,1");
}

struct write_row {
  std::string_view statement;
  std::string_view where;
  std::string_view sent_to;
  reason why = reason::none;
  refusal refused = refusal::none;
};

void expect_updates(std::string_view version, std::initializer_list<write_row> rows,
                    std::string_view options = "") {
  const auto entries = thirds(version);
  for (const write_row& each : rows) {
    const judged found{entries, R"({"update": "c", "updates": [)" +
                                    std::string{each.statement} + "]" + std::string{options} +
                                    "}"};
    EXPECT_EQ(found.where(), each.where) << version << each.statement;
    EXPECT_EQ(names_of(found.verdict().sent_to, *entries), each.sent_to) << each.statement;
    EXPECT_EQ(found.verdict().why, each.why) << version << each.statement;
    EXPECT_EQ(found.verdict().refused, each.refused) << version << each.statement;
  }
}

TEST(classify_update, of_many_goes_by_its_bounds_and_wider) {
  expect_updates(
      "8.0",
      {{R"({"q": {"p": 5}, "u": {"$set": {"x": 1}}, "multi": true})", "single_shard 0", "?"},
       {R"({"q": {"p": {"$gt": 15}}, "u": {"$set": {"x": 1}}, "multi": true})",
        "multi_shard 1,2", "0,1,2,3", reason::range},
       {R"({"q": {}, "u": {"$set": {"x": 1}}, "multi": true})", "scatter_gather 0,1,2",
        "0,1,2,3", reason::missing_key},
       {R"({"q": {"p": 5}, "u": {"$set": {"x": 1}}, "multi": true, "upsert": true})",
        "single_shard 0", "?"},
       {R"({"q": {"p": {"$gt": 25}}, "u": {"$set": {"x": 1}}, "multi": true,
            "upsert": true})",
        "single_shard 2", "?", reason::none, refusal::shard_key_not_found},
       {R"({"q": {"p": 5}, "u": {"x": 1}, "multi": true})", "unknown", "?", reason::refused,
        refusal::invalid_options}});
  expect_updates("8.0",
                 {{R"({"q": {"p": {"$gt": 15}}, "u": {"$set": {"x": 1}}, "multi": true})",
                   "multi_shard 1,2", "?", reason::range}},
                 R"(, "txnNumber": 1, "autocommit": false)");
}

TEST(classify_update, of_one_needs_the_key_or_an_id_before_7_1) {
  expect_updates(
      "7.0",
      {{R"({"q": {"p": 5}, "u": {"$set": {"x": 1}}})", "single_shard 0", "?"},
       {R"({"q": {"p": {"$gt": 25}}, "u": {"$set": {"x": 1}}})", "single_shard 2", "?"},
       {R"({"q": {"_id": 5}, "u": {"$set": {"x": 1}}})", "scatter_gather 0,1,2", "0,1,2,3",
        reason::write_without_key},
       {R"({"q": {"_id": 5, "p": {"$gt": 15}}, "u": {"$set": {"x": 1}}})", "multi_shard 1,2",
        "0,1,2,3", reason::write_without_key},
       {R"({"q": {"_id": 5, "p": {"$gt": 25}}, "u": {"$set": {"x": 1}}})", "single_shard 2",
        "?"},
       {R"({"q": {"x": 5}, "u": {"$set": {"x": 1}}})", "scatter_gather 0,1,2", "?",
        reason::write_without_key, refusal::invalid_options},
       {R"({"q": {"p": {"$gt": 15}}, "u": {"$set": {"x": 1}}})", "multi_shard 1,2", "?",
        reason::write_without_key, refusal::invalid_options},
       {R"({"q": {"x": 5}, "u": {"$set": {"x": 1}}, "upsert": true})", "scatter_gather 0,1,2",
        "?", reason::write_without_key, refusal::shard_key_not_found},
       {R"({"q": {"p": {"$gt": 25}}, "u": {"$set": {"x": 1}}, "upsert": true})",
        "single_shard 2", "?", reason::none, refusal::shard_key_not_found}});
}

// mongo 4.4: chunk_manager_targeter.cpp, targetUpdate: one endpoint is enough, no matter what
// led there.
TEST(classify_update, of_one_goes_to_the_only_shard_that_owns_anything) {
  const auto entries = catalog_of(R"({"version": "4.4", "collections": [
      {"ns": "db.c", "key": {"p": 1}, "splits": []},
      {"ns": "db.other", "key": {"x": 1}, "splits": [], "shards": ["3"]}]})");
  const auto update = [&](std::string_view more) {
    return judged{entries, R"({"update": "c", "updates": [{"q": {"x": 5},
                               "u": {"$set": {"x": 1}})" +
                               std::string{more} + "}]}"};
  };
  EXPECT_EQ(update("").where(), "scatter_gather 0");
  EXPECT_EQ(update("").verdict().refused, refusal::none);
  EXPECT_EQ(names_of(update(R"(, "multi": true)").verdict().sent_to, *entries), "?");
  EXPECT_EQ(update(R"(, "upsert": true)").verdict().refused, refusal::shard_key_not_found);
  const judged removed{entries, R"({"delete": "c", "deletes": [{"q": {"x": 5}, "limit": 1}]})"};
  EXPECT_EQ(removed.verdict().refused, refusal::shard_key_not_found);
}

// Recorded of 4.4; parsed_update.cpp, parseQueryToCQ: the shard sees it.
TEST(classify_update, an_upsert_by_an_expression_is_refused_once_it_has_a_shard) {
  expect_updates(
      "4.4",
      {{R"({"q": {"p": 5, "$expr": {"$gt": ["$x", 1]}}, "u": {"$set": {"x": 1}},
           "upsert": true})",
        "single_shard 0", "?", reason::none, refusal::query_feature_not_allowed},
       {R"({"q": {"p": 5, "$or": [{"x": 1}, {"$expr": {"$gt": ["$x", 1]}}]},
           "u": {"$set": {"x": 1}}, "upsert": true, "multi": true})",
        "single_shard 0", "?", reason::none, refusal::query_feature_not_allowed},
       {R"({"q": {"x": 5, "$expr": {"$gt": ["$x", 1]}}, "u": {"$set": {"x": 1}},
           "upsert": true})",
        "scatter_gather 0,1,2", "?", reason::write_without_key, refusal::shard_key_not_found},
       {R"({"q": {"p": 5, "$expr": {"$gt": ["$x", 1]}}, "u": {"$set": {"x": 1}}})",
        "single_shard 0", "?"}});
  // Recorded of 8.0: it is refused when it asks for the document, too.
  expect_updates(
      "8.0",
      {{R"({"q": {"x": 5, "$expr": {"$gt": ["$x", 1]}}, "u": {"$set": {"x": 1}},
           "upsert": true})",
        "scatter_gather 0,1,2", "?", reason::write_without_key,
        refusal::query_feature_not_allowed},
       {R"({"q": {"$expr": {"$eq": ["$p", 5]}}, "u": {"$set": {"x": 1}}, "upsert": true})",
        "single_shard 0", "?", reason::none, refusal::query_feature_not_allowed},
       {R"({"q": {"x": 5, "$expr": {"$gt": ["$x", 1]}}, "u": {"$set": {"x": 1}},
           "upsert": true, "multi": true})",
        "scatter_gather 0,1,2", "0,1,2,3", reason::missing_key, refusal::shard_key_not_found}});
}

// mongo: cluster_write_cmd.cpp, commandOpWrite: "does not completely emulate write behavior".
TEST(classify_update, an_explain_stays_within_its_bounds) {
  const auto entries = thirds();
  const judged found{entries, R"({"explain": {"update": "c", "updates": [
      {"q": {"p": {"$gt": 15}}, "u": {"$set": {"x": 1}}, "multi": true}]}})"};
  EXPECT_EQ(found.where(), "multi_shard 1,2");
  EXPECT_EQ(names_of(found.verdict().sent_to, *entries), "?");
}

TEST(classify_update, of_one_goes_in_two_phases_from_7_1) {
  expect_updates("7.1", {{R"({"q": {"x": 5}, "u": {"$set": {"x": 1}}})", "scatter_gather 0,1,2",
                          "?", reason::write_without_key},
                         {R"({"q": {"p": {"$gt": 15}}, "u": {"$set": {"x": 1}}})",
                          "multi_shard 1,2", "?", reason::write_without_key},
                         {R"({"q": {"x": 5}, "u": {"$set": {"x": 1}}, "upsert": true})",
                          "scatter_gather 0,1,2", "?", reason::write_without_key}});
}

TEST(classify_update, a_replacement_targets_by_its_own_key_up_to_8_1) {
  // Without the key in the filter: always before 7.1, next to an _id up to 8.1, never later.
  expect_updates("7.0", {{R"({"q": {"x": 5}, "u": {"p": 25}})", "single_shard 2", "?"},
                         {R"({"q": {"_id": 5}, "u": {"p": 25}})", "single_shard 2", "?"},
                         {R"({"q": {"_id": 5}, "u": {"y": 1}})", "single_shard 0", "?"},
                         {R"({"q": {"x": 5}, "u": {"p": [1]}})", "unknown", "?",
                          reason::refused, refusal::shard_key_not_found}});
  expect_updates("8.0", {{R"({"q": {"x": 5}, "u": {"p": 25}})", "scatter_gather 0,1,2", "?",
                          reason::write_without_key},
                         {R"({"q": {"_id": 5}, "u": {"p": 25}})", "single_shard 2", "?"}});
  // In two phases an upsert too (mongo: collection_routing_info_targeter.cpp at 009489e).
  for (const std::string_view version : {"7.1", "7.3", "8.0", "8.0.4", "8.1"}) {
    expect_updates(version, {{R"({"q": {"_id": 5}, "u": {"p": 25}, "upsert": true})",
                              "single_shard 2", "?"}});
  }
  expect_updates("8.2", {{R"({"q": {"_id": 5}, "u": {"p": 25}, "upsert": true})",
                          "scatter_gather 0,1,2", "?", reason::write_without_key}});
  expect_updates("8.2", {{R"({"q": {"_id": 5}, "u": {"p": 25}})", "scatter_gather 0,1,2",
                          "0,1,2,3", reason::write_without_key}});
}

TEST(classify_update, an_id_under_another_collation_is_not_exact) {
  expect_updates("7.0", {{R"({"q": {"_id": "a"}, "u": {"$set": {"x": 1}}})",
                          "scatter_gather 0,1,2", "0,1,2,3", reason::write_without_key},
                         {R"({"q": {"_id": "a"}, "u": {"$set": {"x": 1}},
                              "collation": {"locale": "fr"}})",
                          "scatter_gather 0,1,2", "?", reason::write_without_key,
                          refusal::invalid_options},
                         {R"({"q": {"_id": 5}, "u": {"$set": {"x": 1}},
                              "collation": {"locale": "fr"}})",
                          "scatter_gather 0,1,2", "0,1,2,3", reason::write_without_key}});
}

TEST(classify_update, an_id_under_the_collections_own_collation_is_exact) {
  const auto entries = catalog_of(R"({"version": "7.0", "collections": [
      {"ns": "db.c", "key": {"p": 1}, "splits": [{"p": 10}],
       "collation": {"locale": "en", "strength": 2}}]})");
  const std::pair<std::string_view, refusal> collations[] = {
      {R"({})", refusal::none},
      {R"({"locale": "en", "strength": 2})", refusal::none},
      {R"({"strength": 2.0, "locale": "en", "caseLevel": false})", refusal::none},
      {R"({"locale": "en"})", refusal::invalid_options},
      {R"({"locale": "fr", "strength": 2})", refusal::invalid_options},
      {R"({"locale": "simple"})", refusal::invalid_options},
  };
  for (const auto& [collation, refused] : collations) {
    const judged one{entries, R"({"update": "c", "updates": [{"q": {"_id": "a"},
        "u": {"$set": {"x": 1}}, "collation": )" +
                                  std::string{collation} + "}]}"};
    EXPECT_EQ(one.verdict().refused, refused) << collation;
    EXPECT_EQ(one.where(), "scatter_gather 0,1") << collation;
  }
}

/// mongo: update/path_support.cpp, extractFullEqualityMatches: NotExactValueField, and
/// NotSingleValueField of a path that is matched twice. From 7.2 on, mongos may merge equal
/// conditions first.
TEST(classify_update, an_id_next_to_a_part_of_it_or_itself_is_not_exact) {
  const auto refused = [](std::string_view query, std::string_view version) {
    const std::string command =
        R"({"delete": "c", "deletes": [{"limit": 1, "q": )" + std::string{query} + "}]}";
    const auto entries = catalog_of(R"({"a": 1})", R"([{"a": 10}])", version);
    return std::string{label(judged{entries, command}.verdict().refused)};
  };
  for (const std::string_view version : {"4.4", "5.0.0", "6.0.0"}) {
    EXPECT_EQ(refused(R"({"_id": 8})", version), "");
    EXPECT_EQ(refused(R"({"_id": {"k": 1}, "_id.k": 1})", version), "ShardKeyNotFound");
    EXPECT_EQ(refused(R"({"_id.k": {"$gt": 1}, "_id": 8})", version), "");
  }
  const std::string_view twice = R"({"$and": [{"_id": 8}, {"_id": 8}]})";
  for (const std::string_view version : {"4.4", "5.0.0", "5.0", "6.0.0"}) {
    EXPECT_EQ(refused(twice, version), "ShardKeyNotFound") << version;
  }
}

TEST(classify_update, two_ids_at_once_are_no_id) {
  // mongo: update/path_support.cpp, checkEqualityConflicts, the same from 4.4 to 8.0.
  for (const std::string_view version : {"4.4", "6.0", "7.0"}) {
    expect_updates(
        version,
        {{R"({"q": {"$and": [{"_id": 1}, {"_id": 2}]}, "u": {"$set": {"x": 1}}})",
          "scatter_gather 0,1,2", "?", reason::write_without_key, refusal::invalid_options},
         {R"({"q": {"$and": [{"_id": 1}, {"_id": 1}]}, "u": {"$set": {"x": 1}}})",
          "scatter_gather 0,1,2", "?", reason::write_without_key, refusal::invalid_options}});
  }
}

TEST(classify_update, operators_mixed_with_fields_are_refused) {
  expect_updates("8.0", {{R"({"q": {"p": 5}, "u": {"$set": {"x": 1}, "y": 1}})", "unknown", "?",
                          reason::refused, refusal::unsupported_format}});
}

// mongo: update/update_driver.cpp, parse: it is the shard that knows modifiers.
TEST(classify_update, an_unknown_modifier_is_refused_by_its_shard) {
  for (const char* version : {"4.4", "6.0.12", "7.0.12", "8.0", "9.0"}) {
    const auto entries = catalog_of(R"({"p": 1})", R"([{"p": 10}])", version);
    const auto update = [&](const std::string& filter, const std::string& change) {
      const judged found{entries, R"({"update": "c", "updates": [{"q": )" + filter +
                                      R"(, "u": )" + change + "}]}"};
      return found.where() + " " + std::string{label(found.verdict().refused)};
    };
    EXPECT_EQ(update(R"({"p": 15})", R"({"$foo": {"x": 1}})"), "single_shard 1 FailedToParse");
    EXPECT_EQ(update(R"({"p": 15})", R"({"$set": {"x": 1}, "$pushAll": {"y": []}})"),
              "single_shard 1 FailedToParse");
    EXPECT_EQ(update(R"({"p": 15})", R"({"$set": {"x": 1}, "$setOnInsert": {"y": 1}})"),
              "single_shard 1 ");
    const judged modified{entries, R"({"findAndModify": "c", "query": {"p": 15},
                                       "update": {"$foo": {"x": 1}}})"};
    EXPECT_EQ(label(modified.verdict().refused), "FailedToParse") << version;
  }
  const auto entries = catalog_of(R"({"p": 1})", R"([{"p": 10}])", "6.0.12");
  const judged unplaced{entries, R"({"update": "c", "updates": [
      {"q": {"x": 1}, "u": {"$foo": {"x": 1}}}]})"};
  EXPECT_EQ(label(unplaced.verdict().refused), "InvalidOptions");
}

TEST(classify_delete, of_one_and_of_many) {
  struct delete_row {
    std::string_view version;
    std::string_view statement;
    std::string_view where;
    std::string_view sent_to;
    refusal refused = refusal::none;
  };
  const delete_row rows[] = {
      {"8.0", R"({"q": {"p": 5}, "limit": 1})", "single_shard 0", "?"},
      {"8.0", R"({"q": {"p": {"$gt": 25}}, "limit": 1})", "single_shard 2", "?"},
      {"8.0", R"({"q": {"x": 5}, "limit": 1})", "scatter_gather 0,1,2", "?"},
      {"7.0", R"({"q": {"x": 5}, "limit": 1})", "scatter_gather 0,1,2", "?",
       refusal::shard_key_not_found},
      // mongo 4.4: chunk_manager_targeter.cpp, targetDelete: the key by equality, or an _id.
      {"7.0", R"({"q": {"p": 5}, "limit": 1})", "single_shard 0", "?"},
      {"7.0.0", R"({"q": {"p": {"$gt": 25}}, "limit": 1})", "single_shard 2", "?",
       refusal::shard_key_not_found},
      {"7.0.0", R"({"q": {"p": {"$in": [5, 6]}}, "limit": 1})", "single_shard 0", "?",
       refusal::shard_key_not_found},
      {"7.0", R"({"q": {"p": {"$gt": 25}}, "limit": 1})", "single_shard 2", "?"},
      {"7.0", R"({"q": {"_id": 5, "p": {"$gt": 15}}, "limit": 1})", "multi_shard 1,2",
       "0,1,2,3"},
      {"7.0", R"({"q": {"_id": 5, "p": {"$gt": 25}}, "limit": 1})", "single_shard 2", "?"},
      {"7.0", R"({"q": {"_id": 5}, "limit": 1})", "scatter_gather 0,1,2", "0,1,2,3"},
      {"8.0", R"({"q": {"x": 5}, "limit": 0})", "scatter_gather 0,1,2", "0,1,2,3"},
      {"8.0", R"({"q": {"p": {"$in": [5, 15]}}, "limit": 0})", "multi_shard 0,1", "0,1,2,3"},
  };
  for (const delete_row& each : rows) {
    const auto entries = thirds(each.version);
    const judged found{entries,
                       R"({"delete": "c", "deletes": [)" + std::string{each.statement} + "]}"};
    EXPECT_EQ(found.where(), each.where) << each.version << each.statement;
    EXPECT_EQ(names_of(found.verdict().sent_to, *entries), each.sent_to) << each.statement;
    EXPECT_EQ(found.verdict().refused, each.refused) << each.version << each.statement;
  }
}

// mongo: write_ops.cpp, readMultiDeleteProperty: 0 or 1, and what isn't a number is 0.
TEST(classify_delete, a_limit_other_than_0_or_1_refuses_the_whole_batch) {
  const auto entries = thirds();
  const auto with_limit = [&](std::string_view limit) {
    return judged{entries, R"({"delete": "c", "ordered": false, "deletes": [
        {"q": {}, "limit": 0}, {"q": {"p": 5}, "limit": )" +
                               std::string{limit} + R"(}, {"q": {}, "limit": 0}]})"};
  };
  for (const std::string_view limit : {"2", "-1", "0.5", R"({"$numberLong": "5"})"}) {
    EXPECT_EQ(with_limit(limit).where(), "unknown") << limit;
    EXPECT_EQ(with_limit(limit).verdict().refused, refusal::failed_to_parse) << limit;
  }
  for (const std::string_view limit : {"0", "1", "1.0", R"({"$numberLong": "1"})", "true"}) {
    EXPECT_EQ(with_limit(limit).verdict().refused, refusal::none) << limit;
  }
  const judged many{entries, R"({"delete": "c", "deletes": [{"q": {}, "limit": true}]})"};
  EXPECT_EQ(names_of(many.verdict().sent_to, *entries), "0,1,2,3");
}

TEST(classify_find_and_modify, needs_the_full_key_before_7_1) {
  const auto refused = [](std::string_view version, std::string_view query) {
    return judged(thirds(version), R"({"findAndModify": "c", "update": {"$set": {"x": 1}},
                                       "query": )" +
                                       std::string{query} + "}")
        .verdict()
        .refused;
  };
  EXPECT_EQ(refused("7.0", R"({"p": 5})"), refusal::none);
  EXPECT_EQ(refused("7.0.0", R"({"p": {"$gt": 25}})"), refusal::shard_key_not_found);
  EXPECT_EQ(refused("7.0", R"({"_id": 5})"), refusal::shard_key_not_found);
  EXPECT_EQ(refused("7.1", R"({"_id": 5})"), refusal::none);
  EXPECT_EQ(
      judged(thirds(), R"({"findAndModify": "c", "query": {"x": 1}, "remove": true})").why(),
      "scatter_gather write_without_key");
}

// SERVER-44422: mongo: collection_routing_info_targeter.cpp at 009489e, targetDelete;
// cluster_find_and_modify_cmd.cpp at 009489e, targetSingleShard.
TEST(classify_writes, one_document_goes_by_its_query_from_these_patch_levels_on) {
  const std::pair<std::string_view, bool> versions[] = {
      {"4.4", true},     {"5.0.0", true}, {"5.0.19", true}, {"5.0.20", false},
      {"5.0.31", false}, {"5.3", true},   {"6.0.8", true},  {"6.0.9", false},
      {"6.0.12", false}, {"6.3.1", true}, {"7.0.0", true},  {"7.0.1", false},
      {"7.0.16", false}, {"7.1", false},  {"8.0.4", false}, {"5.0", false},
      {"6.0", false},    {"7.0", false},
  };
  for (const auto& [version, is_refused] : versions) {
    const refusal expected = is_refused ? refusal::shard_key_not_found : refusal::none;
    for (const std::string_view command :
         {R"({"delete": "c", "deletes": [{"q": {"p": {"$gt": 25}}, "limit": 1}]})",
          R"({"findAndModify": "c", "query": {"p": {"$gt": 25}}, "remove": true})",
          R"({"findAndModify": "c", "query": {"p": {"$gt": 25}}, "upsert": true,
              "update": {"$set": {"x": 1}}})"}) {
      const judged found{thirds(version), command};
      EXPECT_EQ(found.where(), "single_shard 2") << version << command;
      EXPECT_EQ(found.verdict().refused, expected) << version << command;
    }
    // Before 7.1 mongos still refuses several shards, and an upsert of an update.
    const bool two_phase = version >= "7.1";
    const judged several{
        thirds(version),
        R"({"delete": "c", "deletes": [{"q": {"p": {"$gt": 15}}, "limit": 1}]})"};
    const judged upsert{thirds(version), R"({"update": "c", "updates": [
        {"q": {"p": {"$gt": 25}}, "u": {"$set": {"x": 1}}, "upsert": true}]})"};
    const refusal of_others = two_phase ? refusal::none : refusal::shard_key_not_found;
    EXPECT_EQ(several.verdict().refused, of_others) << version;
    EXPECT_EQ(upsert.verdict().refused, of_others) << version;
  }
}

// mongo: chunk_manager.cpp, findIntersectingChunk: a hash may come of a string.
/// A branch that matches nothing is dropped, and what is left of the $or is a second equality
/// (mongo: expression_leaf.cpp of 8.0, InMatchExpression::getOptimizer).
TEST(classify_writes, two_hashes_under_a_collation_are_no_place) {
  constexpr std::string_view command = R"({"findAndModify": "c", "remove": true,
      "query": {"p": "a", "$or": [{"p": "A"}, {"x": {"$in": []}}]},
      "collation": {"locale": "en", "strength": 2}})";
  for (const char* version : {"8.0", "8.2", "9.0"}) {
    const auto entries =
        catalog_of(R"({"p": "hashed"})", R"([{"p": {"$numberLong": "0"}}])", version);
    EXPECT_EQ(judged(entries, command).where(), "scatter_gather 0,1") << version;
  }
}

TEST(classify_writes, a_hash_under_a_collation_is_a_place_for_find_and_modify_alone) {
  for (const std::string_view version : {"6.0.12", "7.0.5"}) {
    const auto of = [&](const std::string& command) {
      return judged{thirds(version), command};
    };
    const std::string collation = R"("collation": {"locale": "fr"})";
    const judged by_number = of(R"({"update": "ids", "updates": [{"q": {"_id": 5},
        "u": {"$set": {"x": 1}}, "upsert": true, )" +
                                collation + "}]}");
    EXPECT_EQ(by_number.where(), "single_shard 1") << version;
    EXPECT_EQ(by_number.verdict().refused, refusal::shard_key_not_found) << version;
    const judged plain = of(R"({"update": "ids", "updates": [{"q": {"_id": 5},
        "u": {"$set": {"x": 1}}, )" +
                            collation + "}]}");
    EXPECT_EQ(plain.where(), "single_shard 1") << version;
    EXPECT_EQ(plain.verdict().refused, refusal::none) << version;
    const judged one = of(R"({"findAndModify": "ids", "query": {"_id": "a"},
        "update": {"$set": {"x": 1}}, )" +
                          collation + "}");
    EXPECT_EQ(one.verdict().routing, routing::routing_class::single_shard) << version;
    EXPECT_EQ(one.verdict().refused, refusal::none) << version;
    const judged read = of(R"({"find": "ids", "filter": {"_id": "a"}, )" + collation + "}");
    EXPECT_EQ(read.where(), "scatter_gather 0,1") << version;
  }
}

// mongo: update/update_driver.cpp, parse.
TEST(classify_writes, constants_require_a_pipeline_from_9_0_on) {
  const auto refused = [](std::string_view version, const std::string& update) {
    return judged(thirds(version), R"({"update": "c", "updates": [{"q": {"p": 5}, )" + update +
                                       R"(, "c": {"k": 1}}]})")
        .verdict()
        .refused;
  };
  const std::string modifiers = R"("u": {"$set": {"x": 1}})";
  EXPECT_EQ(refused("8.2", modifiers), refusal::none);
  EXPECT_EQ(refused("9.0", modifiers), refusal::constants_without_pipeline);
  EXPECT_EQ(refused("9.0", R"("u": {"x": 1})"), refusal::constants_without_pipeline);
  EXPECT_EQ(refused("9.0", R"("u": [{"$set": {"x": "$$k"}}])"), refusal::none);
}

}  // namespace
}  // namespace scattergate::routing_tests
