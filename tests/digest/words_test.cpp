#include "digest/words.hpp"

#include <gtest/gtest.h>

namespace scattergate::digest {
namespace {

row of(std::string command, std::string shape) {
  row made;
  made.database = "shop";
  made.collection = "orders";
  made.command = std::move(command);
  made.shape_hash = 0xb5552500e10fa16d;
  made.what.shape_json = std::move(shape);
  return made;
}

TEST(explain_text, has_values_of_the_placeholders_types) {
  EXPECT_EQ(
      explain_text(of("find", R"({"filter":{"a":"?objectId","b":{"$in":"?array<?number>"}}})")),
      R"(db.getSiblingDB("shop").runCommand({explain: {find: "orders", "filter":{"a":)"
      R"(ObjectId("000000000000000000000000") /*?objectId*/,"b":{"$in":[0 /*?number*/]}}}, )"
      R"(verbosity: "queryPlanner"}))");
  EXPECT_EQ(explain_text(of("count", "{}")),
            R"(db.getSiblingDB("shop").runCommand({explain: {count: "orders"}, verbosity: )"
            R"("queryPlanner"}))");
}

TEST(explain_text, gives_an_aggregate_its_cursor) {
  EXPECT_NE(explain_text(of("aggregate", R"({"pipeline":[]})")).find(", cursor: {}}"),
            std::string::npos);
}

TEST(explain_text, leaves_names_alone) {
  const std::string text = explain_text(of("find", R"({"filter":{"?number":"?string"}})"));
  EXPECT_NE(text.find(R"("?number":"" /*?string*/)"), std::string::npos) << text;
}

TEST(explain_text, is_empty_where_it_would_not_be_the_command) {
  EXPECT_EQ(explain_text(of("insert", R"({"documents":"?documents"})")), "");
  EXPECT_EQ(explain_text(of("getMore", "{}")), "");
  EXPECT_EQ(explain_text(of("find", R"({"filter":{"a":1,"...":true}})")), "");
  EXPECT_EQ(explain_text(of("update", R"({"statements":"not logged"})")), "");
}

TEST(accept_rule, is_yaml_that_names_the_shape) {
  EXPECT_EQ(accept_rule(of("find", "{}")),
            R"(- {name: accept-b5552500e10fa16d, match: {namespace: "shop.orders", )"
            R"(shape: b5552500e10fa16d}, action: accept, why: "TODO"})");
}

}  // namespace
}  // namespace scattergate::digest
