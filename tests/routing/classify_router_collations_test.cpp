#include <array>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/routing/command_rows.hpp"

/// What mongos's own tests expect of commands under a collation, in our own words
/// (jstests/sharding/collation_targeting.js and collation_targeting_inherited.js at 134a408,
/// query/collation_shard_targeting_hashed_shard_key.js at 0273057). From 7.1 on a write of one
/// document needs no key.
namespace scattergate::routing_tests {
namespace {

constexpr std::string_view no_collation;
constexpr std::string_view simple = R"(, "collation": {"locale": "simple"})";
constexpr std::string_view caseless = R"(, "collation": {"locale": "en_US", "strength": 2})";

/// A collection whose own collation is, or isn't, the caseless one.
std::string collection(std::string_view key, std::string_view splits, bool is_caseless) {
  return R"({"ns": "db.c", "key": )" + std::string{key} + R"(, "splits": )" +
         std::string{splits} + std::string{is_caseless ? caseless : no_collation} + "}";
}

class cluster {
 public:
  cluster(std::string_view version, const std::string& holding)
      : version_(version),
        entries_(catalog_of(R"({"version": ")" + version_ + R"(", "collections": [)" + holding +
                            "]}")) {}

  /// `command` has $Q in place of the query, $C in place of the collation.
  void expect(std::string command, std::string_view query, std::string_view collation,
              std::string_view where, std::string_view refused = "") {
    command.replace(command.find("$Q"), 2, query);
    command.replace(command.find("$C"), 2, collation);
    const judged found{entries_, command};
    EXPECT_EQ(found.where(), where) << version_ << " " << command;
    EXPECT_EQ(label(found.verdict().refused), refused) << version_ << " " << command;
  }

 private:
  std::string version_;
  std::shared_ptr<const routing::catalog> entries_;
};

constexpr std::array collation_versions{"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"};

bool has_two_phases(std::string_view version) {
  return version >= "8.0";
}

/// Commands that reach as many shards as needed.
constexpr std::array of_many{
    R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$match": $Q}]$C})",
    R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$geoNear": {"spherical": true,
        "near": {"type": "Point", "coordinates": [0, 0]}, "distanceField": "d",
        "query": $Q}}]$C})",
    R"({"count": "c", "query": $Q$C})",
    R"({"distinct": "c", "key": "_id", "query": $Q$C})",
    R"({"find": "c", "filter": $Q$C})",
    R"({"mapReduce": "c", "map": "m", "reduce": "r", "out": {"inline": 1}, "query": $Q$C})",
    R"({"delete": "c", "deletes": [{"q": $Q, "limit": 0$C}]})",
    R"({"update": "c", "updates": [{"q": $Q, "u": {"$set": {"b": 1}}, "multi": true$C}]})"};

struct write_of_one {
  const char* command;
  const char* refused;  ///< before 7.1, if it has several shards
};

constexpr write_of_one find_and_modify{
    R"({"findAndModify": "c", "query": $Q, "update": {"$set": {"b": 1}}$C})",
    "ShardKeyNotFound"};
/// Those that an exact _id suffices for.
constexpr std::array of_one{
    write_of_one{R"({"delete": "c", "deletes": [{"q": $Q, "limit": 1$C}]})",
                 "ShardKeyNotFound"},
    write_of_one{R"({"update": "c", "updates": [{"q": $Q, "u": {"$set": {"b": 1}}$C}]})",
                 "InvalidOptions"}};

constexpr std::string_view text_query = R"({"a": "foo"})";
constexpr std::string_view number_query = R"({"a": 100})";

/// `bare`: without a collation texts compare bytewise; otherwise that must be asked for.
void expect_of_key(bool bare) {
  const std::string_view folding = bare ? caseless : no_collation;
  const std::string_view exact = bare ? no_collation : simple;
  for (const char* version : collation_versions) {
    cluster on{version, collection(R"({"a": 1})", R"([{"a": 10}, {"a": "a"}])", !bare)};
    for (const char* each : of_many) {
      on.expect(each, text_query, folding, all_shards);
      on.expect(each, text_query, exact, "single_shard 2");
      on.expect(each, number_query, folding, "single_shard 1");
    }
    for (const write_of_one& each : {find_and_modify, of_one[0], of_one[1]}) {
      on.expect(each.command, text_query, folding, all_shards,
                has_two_phases(version) ? "" : each.refused);
      on.expect(each.command, text_query, exact, "single_shard 2");
      on.expect(each.command, number_query, folding, "single_shard 1");
    }
  }
}

TEST(router_collations, texts_on_the_key_are_found_everywhere) {
  expect_of_key(true);
}

TEST(router_collations, those_of_the_collection_apply_if_none_is_given) {
  expect_of_key(false);
}

TEST(router_collations, a_text_is_an_exact_id_under_the_collections_own) {
  for (const char* version : collation_versions) {
    for (const bool is_caseless : {false, true}) {
      cluster on{version, collection(R"({"a": 1})", R"([{"a": 10}, {"a": "a"}])", is_caseless)};
      const std::string_view own = is_caseless ? caseless : simple;
      const std::string_view other = is_caseless ? simple : caseless;
      for (const write_of_one& each : of_one) {
        on.expect(each.command, R"({"_id": "foo"})", no_collation, all_shards);
        on.expect(each.command, R"({"_id": "foo"})", own, all_shards);
        on.expect(each.command, R"({"_id": 1})", other, all_shards);
        on.expect(each.command, R"({"_id": "foo"})", other, all_shards,
                  has_two_phases(version) ? "" : each.refused);
      }
    }
  }
}

/// The hash of "a" is below that of "A"; both begin a chunk.
TEST(router_collations, a_find_and_modify_takes_the_hash_of_a_text) {
  constexpr std::string_view hashes =
      R"([{"_id": {"$numberLong": "2780795045148116090"}}, {"_id": {"$numberLong": "4844408278384379390"}}])";
  constexpr std::string_view key = R"({"_id": "hashed"})";
  constexpr auto find = R"({"find": "c", "filter": $Q$C})";
  for (const char* version : collation_versions) {
    for (const bool is_caseless : {false, true}) {
      cluster on{version, collection(key, hashes, is_caseless)};
      const std::string_view folding = is_caseless ? no_collation : caseless;
      const std::string_view exact = is_caseless ? simple : no_collation;
      on.expect(find, R"({"_id": "a"})", exact, "single_shard 1");
      on.expect(find, R"({"_id": "A"})", exact, "single_shard 2");
      on.expect(find, R"({"_id": "a"})", folding, all_shards);
      for (const std::string_view each : {folding, exact}) {
        on.expect(find_and_modify.command, R"({"_id": "a"})", each, "single_shard 1");
        on.expect(find_and_modify.command, R"({"_id": "A"})", each, "single_shard 2");
      }
    }
  }
}

/// mongos merges branches that are equal equalities (mongo: expression_optimizer.cpp,
/// listOfOptimizer, 1c287af4e8f1). Two equalities on one path are no shard key.
TEST(router_collations, an_or_may_leave_another_text_for_the_hash) {
  cluster on{
      "8.2",
      collection(
          R"({"_id": "hashed"})",
          R"([{"_id": {"$numberLong": "2780795045148116090"}}, {"_id": {"$numberLong": "4844408278384379390"}}])",
          false)};
  for (const std::string_view other :
       {R"({"_id": "a", "$or": [{"_id": "A"}, {"_id": "A"}]})",
        R"({"_id": "a", "$or": [{"$and": [{"_id": "A"}]}, {"$or": [{"_id": "A"}]}]})"}) {
    on.expect(find_and_modify.command, other, caseless, all_shards);
  }
  on.expect(find_and_modify.command, R"({"_id": "a", "$or": [{"b": 1}, {"c": 2}]})", caseless,
            "single_shard 1");
}

}  // namespace
}  // namespace scattergate::routing_tests
