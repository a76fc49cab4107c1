#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// bulkWrite, whose ops each name a namespace of their own.
namespace scattergate::routing_tests {
namespace {

/// db.c is sharded by p into thirds, db.local isn't.
std::shared_ptr<const routing::catalog> bulk_write_catalog() {
  return catalog_of(R"({"collections": [
      {"ns": "db.c", "key": {"p": 1}, "splits": [{"p": 10}, {"p": 20}]}, {"ns": "db.local"}]})");
}

TEST(classify_bulk_write, each_op_goes_by_its_own_namespace) {
  const auto entries = bulk_write_catalog();
  const judged found{entries, R"({"bulkWrite": 1, "$db": "admin",
      "nsInfo": [{"ns": "db.local"}, {"ns": "db.c"}],
      "ops": [{"insert": 0, "document": {"x": 1}}, {"insert": 1, "document": {"p": 5}},
              {"update": 1, "filter": {"p": {"$gt": 15}}, "updateMods": {"$set": {"x": 1}},
               "multi": true},
              {"delete": 1, "filter": {"p": 5}}]})"};
  EXPECT_EQ(found.where(), "multi_shard 0,1,2");
  EXPECT_EQ(found.verdict().database, "db");
  EXPECT_EQ(found.verdict().collection, "c");
  const auto& counts = found.verdict().statements;
  EXPECT_EQ(counts[static_cast<std::size_t>(routing::routing_class::unsharded)], 1U);
  EXPECT_EQ(counts[static_cast<std::size_t>(routing::routing_class::single_shard)], 2U);
}

// mongo: commands/bulk_write_common.cpp, validateRequest, before any op is run.
TEST(classify_bulk_write, what_names_no_namespace_is_refused_as_a_whole) {
  const auto refused = [](std::string_view infos, std::string_view ops) {
    const std::string command = R"({"bulkWrite": 1, "$db": "admin", "nsInfo": )" +
                                std::string{infos} + R"(, "ops": )" + std::string{ops} + "}";
    return std::string{label(judged{bulk_write_catalog(), command}.verdict().refused)};
  };
  const std::string_view ops =
      R"([{"insert": 0, "document": {"p": 5}}, {"delete": 1, "filter": {"p": 5}}])";
  EXPECT_EQ(refused(R"([{"ns": "db.c"}, {"ns": "db.c"}])", ops), "");
  EXPECT_EQ(refused(R"([{"ns": "db.c"}])", ops), "BadValue");
  EXPECT_EQ(refused("[]", ops), "BadValue");
  EXPECT_EQ(refused(R"([{"ns": "db.c"}])", R"([{"insert": -1, "document": {}}])"), "BadValue");
  EXPECT_EQ(refused(R"([{"ns": "db.c"}, {"ns": "db"}])", ops), "InvalidNamespace");
  EXPECT_EQ(refused(R"([{"ns": "db.c"}])", "[]"), "InvalidLength");
}

}  // namespace
}  // namespace scattergate::routing_tests
