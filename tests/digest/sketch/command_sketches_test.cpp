#include "digest/sketch/command_sketches.hpp"

#include <chrono>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"
#include "tests/support/json_document.hpp"

namespace scattergate::digest {
namespace {

using routing_tests::catalog_of;

const salt fixed{{3, 4}};

/// Counts commands of which each is JSON.
class counted {
 public:
  counted& add(const std::string& json, std::uint64_t times = 1) {
    const tests::json_document body{json};
    const auto command = wire::command_of(body.view());
    EXPECT_TRUE(command) << json;
    for (std::uint64_t i = 0; i < times; ++i) sketches_.count(*command, *catalog_, {});
    return *this;
  }
  [[nodiscard]] const collection_sketch* on(std::string_view ns) const {
    return table_.find(*wire::namespace_view::of(ns));
  }
  [[nodiscard]] std::uint64_t requests(std::string_view path) const {
    const auto* const field = on("shop.orders")->field_at(path);
    return field == nullptr ? 0 : field->requests();
  }
  [[nodiscard]] const sketch_table& table() const { return table_; }

 private:
  sketch_table table_{fixed.id()};
  command_sketches sketches_{table_, fixed};
  std::shared_ptr<const routing::catalog> catalog_ = catalog_of(
      R"({"shards": ["a", "b"], "collections": [{"ns": "shop.orders", "key": {"region": 1, "customer.id": 1}}]})");
};

std::string find(std::string_view filter) {
  return R"({"find":"orders","filter":)" + std::string{filter} + R"(,"$db":"shop"})";
}

TEST(command_sketches, count_what_equality_pins) {
  for (const auto* const filter :
       {R"({"a":1})", R"({"a":{"$eq":1}})", R"({"a":{"$in":[1]}})",
        R"({"$and":[{"a":1},{"b":{"$gt":2}}]})", R"({"$and":[{"$and":[{"a":1}]}]})",
        R"({"a":1,"$or":[{"c":1},{"d":1}]})"}) {
    counted of;
    of.add(find(filter));
    EXPECT_EQ(of.requests("a"), 1U) << filter;
    EXPECT_EQ(of.on("shop.orders")->requests(), 1U) << filter;
    EXPECT_EQ(of.requests("b") + of.requests("c"), 0U) << filter;
  }
  for (const auto* const filter :
       {R"({})", R"({"a":{"$gt":1}})", R"({"a":{"$in":[1,2]}})", R"({"a":[1]})",
        R"({"a":{"$regularExpression":{"pattern":"x","options":""}}})", R"({"$or":[{"a":1}]})",
        R"({"a":{"$in":[]}})"}) {
    counted of;
    of.add(find(filter));
    EXPECT_EQ(of.requests("a"), 0U) << filter;
    EXPECT_EQ(of.on("shop.orders")->requests(), 1U) << filter;
  }
}

TEST(command_sketches, count_each_statement_of_each_command) {
  const std::string db = R"(,"$db":"shop"})";
  const std::string filter = R"({"a":7})";
  for (
      const std::string& command :
      {R"({"count":"orders","query":)" + filter + db,
       R"({"distinct":"orders","key":"b","query":)" + filter + db,
       R"({"findAndModify":"orders","query":)" + filter + R"(,"remove":true)" + db,
       R"({"aggregate":"orders","pipeline":[{"$match":)" + filter +
           R"(},{"$limit":1}],"cursor":{})" + db,
       R"({"update":"orders","updates":[{"q":)" + filter + R"(,"u":{"$set":{"x":1}}}])" + db,
       R"({"delete":"orders","deletes":[{"q":)" + filter + R"(,"limit":1}])" + db,
       R"({"bulkWrite":1,"ops":[{"update":0,"filter":)" + filter +
           R"(,"updateMods":{"$set":{"x":1}}}],"nsInfo":[{"ns":"shop.orders"}],"$db":"admin"})"}) {
    counted of;
    of.add(command);
    ASSERT_NE(of.on("shop.orders"), nullptr) << command;
    EXPECT_EQ(of.requests("a"), 1U) << command;
    EXPECT_EQ(of.on("shop.orders")->inserts(), 0U) << command;
  }
  counted batch;
  batch.add(
      R"({"update":"orders","updates":[{"q":{"a":1},"u":{}},{"q":{"a":2},"u":{}},{"q":{},"u":{}}])" +
      db);
  EXPECT_EQ(batch.requests("a"), 2U);
  EXPECT_EQ(batch.on("shop.orders")->requests(), 3U);
}

TEST(command_sketches, of_documents_the_same_fields_count_and_missing_ones_as_null) {
  counted of;
  of.add(find(R"({"a":1,"region":"eu"})"));
  of.add(
      R"({"insert":"orders","documents":[{"_id":1,"a":1,"region":"eu","customer":{"id":5}},{"_id":2},)"
      R"({"a":[1],"customer":[{"id":5}]}],"$db":"shop"})");
  const auto& orders = *of.on("shop.orders");
  EXPECT_EQ(orders.inserts(), 3U);
  EXPECT_EQ(orders.requests(), 4U);
  EXPECT_EQ(of.requests("region"), 4U);
  EXPECT_EQ(of.requests("customer.id"), 2U);  // in one it stands in an array
  EXPECT_EQ(of.requests("a"), 3U);
  EXPECT_EQ(of.requests("_id"), 0U);  // no filter has asked for it
  EXPECT_NEAR(orders.field_at("a")->cardinality().values, 2, 0.1);
}

TEST(command_sketches, the_shard_keys_fields_have_their_places_first) {
  counted of;
  for (int i = 0; i < 20; ++i) of.add(find("{\"f" + std::to_string(i) + "\":1}"));
  const auto& orders = *of.on("shop.orders");
  ASSERT_EQ(orders.fields().size(), most_sketched_fields);
  EXPECT_EQ(orders.fields()[0].path, "region");
  EXPECT_EQ(orders.fields()[1].path, "customer.id");
  EXPECT_EQ(orders.refused(), 14U);
}

TEST(command_sketches, what_filters_give_together_is_a_pair) {
  counted of;
  of.add(find(R"({"a":1,"b":2})"), 10);
  of.add(find(R"({"b":2,"a":1})"), 10);
  of.add(find(R"({"a":1,"b":3})"), 20);
  of.add(R"({"insert":"orders","documents":[{"a":1,"b":2}],"$db":"shop"})");
  const auto* const pair = of.on("shop.orders")->pair_of("b", "a");
  ASSERT_NE(pair, nullptr);
  EXPECT_EQ(pair, of.on("shop.orders")->pair_of("a", "b"));
  EXPECT_EQ(pair->requests(), 41U);
  EXPECT_NEAR(pair->cardinality().values, 2, 0.1);
  EXPECT_NEAR(pair->top_shares()[0].share, 21.0 / 41, 1e-9);
  EXPECT_EQ(of.on("shop.orders")->pair_of("a", "region"),
            nullptr);  // documents alone make none
}

TEST(command_sketches, nothing_is_kept_of_mongodbs_own_or_of_other_commands) {
  counted of;
  of.add(R"({"find":"shards","filter":{"_id":1},"$db":"config"})");
  of.add(R"({"ping":1,"$db":"shop"})");
  of.add(R"({"getMore":{"$numberLong":"5"},"collection":"orders","$db":"shop"})");
  EXPECT_TRUE(of.table().is_empty());
}

TEST(command_sketches, are_bounded_whatever_comes) {
  counted of;
  for (int i = 0; i < 400; ++i) {
    const std::string name = "c" + std::to_string(i);
    of.add(R"({"find":")" + name + R"(","filter":{"a":1},"$db":"shop"})");
  }
  EXPECT_EQ(of.table().ranked().size(), sketch_table::most_collections);
  EXPECT_EQ(of.table().left_out(), 400 - sketch_table::most_collections);
  counted one;
  std::string filter = "{";
  for (int i = 0; i < 40; ++i) filter += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + "\":1";
  one.add(find(filter + "}"));
  EXPECT_EQ(one.on("shop.orders")->fields().size(), most_sketched_fields);
  EXPECT_EQ(one.on("shop.orders")->pairs().size(), most_sketched_pairs);
  counted longest;
  longest.add(find("{\"" + std::string(500, 'x') + "\":1}"));
  EXPECT_EQ(longest.on("shop.orders")->refused(), 1U);
}

}  // namespace
}  // namespace scattergate::digest
