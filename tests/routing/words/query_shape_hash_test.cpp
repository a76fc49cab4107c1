#include "routing/words/query_shape_hash.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/routing/shape_support.hpp"

namespace scattergate::routing {
namespace {

using routing_tests::json_command;

std::shared_ptr<const catalog> catalog_of(server_version version) {
  catalog_builder builder;
  builder.set_version(version);
  collection view;
  view.database = "test";
  view.name = "cheap";
  view.view_on = "pizzaOrders";
  EXPECT_EQ(builder.add(view), std::nullopt);
  return builder.build();
}

std::string hash_of(std::string_view command, server_version version = {8, 0}) {
  return query_shape_hash(json_command{command}.command(), *catalog_of(version));
}

/// `db` and what stands before it in the command.
std::string find(const std::string& db, const std::string& arguments) {
  return "{" + arguments + R"(, "$db": ")" + db + "\"}";
}

struct vector {
  const char* db;
  const char* arguments;
  const char* hash;
};

// The first is the manual's (Query Shapes); the others are what servers have printed, in
// explain's output that people have published, next to the versions.
constexpr vector vectors[] = {
    {"test",
     R"("find": "pizzaOrders", "filter": {"orderDate": {"$gt": {"$date": "2024-05-10T05:15:35Z"}}},
        "sort": {"totalNumber": 1})",
     "AB8ECADEE8F0EB0F447A30744EB4813AE7E0BFEF523B0870CA10FCBC87F5D8F1"},
    // MongoDB's own sources, explain's README
    {"test", R"("find": "coll", "filter": {"a": 1, "b": 1})",
     "A32708A2B0AF397E3E04E9C33C179B17AC67A4F9E9EB90ED30E35B2B106004C6"},
    // 8.0.4
    {"sales", R"("find": "sales", "filter": {"amount": {"$gte": 1000}})",
     "3715DCB47CF106B03F080CE057AE01F5C83AECFB639B04B52AA7ADEF8A2A72D9"},
    {"mydatabase",
     R"("find": "users", "filter": {"birthDate": {"$lte": {"$date": "1985-02-16T00:00:00Z"}}},
        "projection": {"_id": 0, "birthDate": 1})",
     "A88F2C11EEF68F8C8EFA8D556DEF20CD7DCC794233A52317B47016905613A7F6"},
    // 8.0.5
    {"MongoCourse", R"("find": "Books", "filter": {})",
     "CC342773C26E7E652D64DECED760BE5F66658046AC863313B9690E40EA7A4BF9"},
    {"indexes",
     R"("find": "companies", "filter": {"$and": [{"category_code": "consulting"},
        {"number_of_employees": {"$gte": 1000}}]})",
     "10670D60295539A15DA8C2DC9AD13910BCB277C49CBB0A660ABBD5E0A31D4ED8"},
    {"data",
     R"("find": "data", "filter": {"userid": "10001"}, "projection": {"userid": 1, "_id": 0})",
     "E296207AA229093E9E6C4A3DEBD1913AE096BCFCB31450A91890A6E2D89269CD"},
    // 8.0.9
    {"plp_database",
     R"("find": "books", "filter": {"author": "J.R.R. Tolkien", "published_year": {"$gt": 1940}})",
     "422724C38C19B2D9654D3F1FAA974C7BD754691ACB88004FD628838C576C04B5"},
    {"skdb", R"("find": "users", "filter": {"first_name": "Rebekkah"})",
     "3B108858BA7D3A30CF57C297B38173023A61E2EA7E9B5CFE482CBFE6C49AF8C2"},
    // 8.2.1, 8.2.7, 8.2.11
    {"trips_db", R"("find": "fhvhv_trips_2021-10", "filter": {"dropoff_datetime": 1633065952})",
     "68F31E123EDEF1C80353279995B67E488624FD57853182C30F62F9F1745495E1"},
    {"ecommerce;",
     R"("find": "orders", "filter": {"status": "PAID",
        "createdAt": {"$gte": {"$date": "2026-04-19T00:00:00Z"}}}, "sort": {"createdAt": -1})",
     "C6FDB71A910BB6E40CA7636E5804F8D715BC92FAA461FE0BC1E099280FD91C95"},
    {"indexpoc", R"("find": "users", "filter": {}, "sort": {"email": 1, "status": 1})",
     "A55E680DCF602CA15D55F3D6704162014B99CA5550FC88C59766F203ED5DCFB6"},
    {"indexpoc", R"("find": "users", "filter": {}, "sort": {"status": 1}, "limit": 10)",
     "100C6B2FC56B6A90A9CAF8ADCDCF11FF7AB689BD4FFA7161DA3CBCECA7555CB6"},
    {"indexpoc",
     R"("find": "users", "filter": {"email": "user1@gmail.com"},
        "projection": {"email": 1, "status": 1, "name": 1, "_id": 0})",
     "7B68C7BC797A0D99C9E2048124E45CA6D4A252140926F5D953E5780EF1DBBA6D"},
    // 8.3.4
    {"note_db",
     R"("find": "notes", "filter": {"userId": "6a5615c484e74e730bf4abd0"}, "sort": {"createdAt": -1})",
     "E64C21C9B122C46404C72B876C7DBC4BAA5AB6A85448A3EFB634352591F48EB9"},
    // 9.0.2
    {"company_advanced",
     R"("find": "employees", "filter": {"departmentId": 10}, "sort": {"name": 1})",
     "5A0F20A6DED9FE3E1BFA7046D82577FA3941B587A0A6EC4AD43E72479A526CFC"},
};

TEST(query_shape_hash, is_the_one_that_servers_have_printed) {
  for (const vector& one : vectors) {
    EXPECT_EQ(hash_of(find(one.db, one.arguments)), one.hash) << one.arguments;
  }
}

TEST(query_shape_hash, does_not_look_at_values_nor_at_what_is_no_part_of_a_shape) {
  const std::string hash = hash_of(find("db", R"("find": "c", "filter": {"a": 1})"));
  ASSERT_EQ(hash.size(), 64U);
  for (
      const char* arguments : {
          R"("find": "c", "filter": {"a": {"$numberLong": "77"}})",
          R"("find": "c", "filter": {"a": {"$eq": 2.5}})",
          R"("find": "c", "filter": {"a": 1}, "batchSize": 5, "comment": "x", "maxTimeMS": 9)",
          R"("find": "c", "filter": {"a": 1}, "hint": {"a": 1}, "$readPreference": {"mode": "primary"})",
          R"("find": "c", "lsid": {"id": 1}, "sort": {}, "projection": {}, "filter": {"a": 1})",
      }) {
    EXPECT_EQ(hash_of(find("db", arguments)), hash) << arguments;
  }
}

TEST(query_shape_hash, distinguishes_what_are_other_shapes) {
  std::vector<std::string> all;
  for (const char* arguments : {
           R"("find": "c")",
           R"("find": "c", "filter": {"a": 1})",
           R"("find": "c", "filter": {"a": "1"})",
           R"("find": "c", "filter": {"a": true})",
           R"("find": "c", "filter": {"a": {"$oid": "0102030405060708090a0b0c"}})",
           R"("find": "c", "filter": {"a": {"$gt": 1}})",
           R"("find": "c", "filter": {"a": {"$gt": 1, "$lt": 9}})",
           R"("find": "c", "filter": {"a": 1, "b": 1})",
           R"("find": "c", "filter": {"b": 1, "a": 1})",
           R"("find": "c", "filter": {"a": 1}, "sort": {"a": -1})",
           R"("find": "c", "filter": {"a": 1}, "limit": 1)",
           R"("find": "c", "filter": {"a": 1}, "skip": 1)",
           R"("find": "c", "filter": {"a": 1}, "limit": 1, "singleBatch": true)",
           R"("find": "c", "filter": {"a": 1}, "allowDiskUse": true)",
           R"("find": "d", "filter": {"a": 1})",
       }) {
    const std::string hash = hash_of(find("db", arguments));
    EXPECT_EQ(hash.size(), 64U) << arguments;
    EXPECT_EQ(std::count(all.begin(), all.end(), hash), 0) << arguments;
    all.push_back(hash);
  }
}

TEST(query_shape_hash, is_unknown_where_it_is_not_certain) {
  for (
      const char* arguments : {
          R"("aggregate": "c", "pipeline": [], "cursor": {})",
          R"("count": "c", "query": {"a": 1})",
          R"("find": "c", "filter": {"_id": 1})",
          R"("find": "c", "filter": {"a": null})",
          R"("find": "c", "filter": {"a": {"b": 1}})",
          R"("find": "c", "filter": {"a": {}})",
          R"("find": "c", "filter": {"a": [1]})",
          R"("find": "c", "filter": {"a": {"$in": [1, 2]}})",
          R"("find": "c", "filter": {"a": {"$ne": 1}})",
          R"("find": "c", "filter": {"a": {"$gt": 1, "$in": [2]}})",
          R"("find": "c", "filter": {"a": {"$regularExpression": {"pattern": "x", "options": ""}}})",
          R"("find": "c", "filter": {"a": {"$minKey": 1}})",
          R"("find": "c", "filter": {"$or": [{"a": 1}, {"b": 1}]})",
          R"("find": "c", "filter": {"$and": [{"a": 1}]})",
          R"("find": "c", "filter": {"$and": [{"a": 1, "b": 1}, {"c": 1}]})",
          R"("find": "c", "filter": {"$and": [{"a": 1}, {"b": 1}], "c": 1})",
          R"("find": "c", "filter": {"$and": []})",
          R"("find": "c", "filter": {"$and": {}})",
          R"("find": "c", "filter": {"$expr": {"$eq": ["$a", 1]}})",
          R"("find": "c", "filter": {"": 1})",
          R"("find": "c", "filter": 1)",
          R"("find": "c", "sort": {"$natural": 1})",
          R"("find": "c", "sort": {"a": {"$meta": "textScore"}})",
          R"("find": "c", "sort": {"a": 2})",
          R"("find": "c", "projection": {"a": 1})",
          R"("find": "c", "projection": {"_id": 0})",
          R"("find": "c", "projection": {"a": 0})",
          R"("find": "c", "projection": {"a.b": 1, "_id": 0})",
          R"("find": "c", "projection": {"a": "$b", "_id": 0})",
          R"("find": "c", "limit": 0)",
          R"("find": "c", "singleBatch": false)",
          R"("find": "c", "collation": {"locale": "en"})",
          R"("find": "c", "let": {"x": 1})",
          R"("find": "c", "rawData": true)",
          R"("find": "c", "showRecordId": true)",
          R"("find": "c", "whatever": 1)",
          R"("find": {"$uuid": "00112233-4455-6677-8899-aabbccddeeff"})",
      }) {
    EXPECT_EQ(hash_of(find("db", arguments)), "") << arguments;
  }
  EXPECT_EQ(hash_of(find("test", R"("find": "cheap", "filter": {"a": 1})")), "");
  EXPECT_EQ(hash_of(R"({"find": "c", "filter": {"a": 1}})"), "");
}

TEST(query_shape_hash, is_of_versions_that_have_been_seen_to_print_it) {
  const std::string command = find("db", R"("find": "c", "filter": {"a": 1})");
  const std::string hash = hash_of(command);
  EXPECT_EQ(hash_of(command, {8, 3}), hash);
  EXPECT_EQ(hash_of(command, {9, 0}), hash);
  EXPECT_EQ(hash_of(command, {7, 3}), "");
  EXPECT_EQ(hash_of(command, {9, 1}), "");
  EXPECT_EQ(query_shape_hash(json_command{command}.command(), *catalog_builder{}.build()), "");
  EXPECT_EQ(query_shape_hash(json_command{command}.command(), *catalog::absent()), "");
}

}  // namespace
}  // namespace scattergate::routing
