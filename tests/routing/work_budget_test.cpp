#include "wire/work_budget.hpp"

#include <string>

#include <gtest/gtest.h>
#include <pthread.h>

#include "tests/routing/judging_support.hpp"
#include "tests/support/json_document.hpp"
#include "tests/support/sanitizer.hpp"

/// The verdicts of commands that need more work than the budget, and of those that are merely
/// large or deep.
namespace scattergate::routing_tests {
namespace {

using routing::routing_class;

/// db.r by {a: 1}, in two chunks; nothing else is sharded.
const std::shared_ptr<const routing::catalog>& budget_catalog() {
  static const auto entries = catalog_of(R"({"unlisted": "unsharded", "collections": [
      {"ns": "db.r", "key": {"a": 1}, "splits": [{"a": 5000}]}]})");
  return entries;
}

std::string nested(std::string_view open, std::string_view inside, std::string_view close,
                   std::size_t levels) {
  std::string all;
  for (std::size_t i = 0; i != levels; ++i) all += open;
  all += inside;
  for (std::size_t i = 0; i != levels; ++i) all += close;
  return all;
}

/// The verdict with this number of units of work.
struct with_work {
  with_work(const std::string& json, std::int64_t units)
      : document(json), memory(block), work(units) {
    const auto command = wire::command_of(document.view()).value();
    verdict = routing::classify(command, *budget_catalog(), memory, work);
  }
  tests::json_document document;
  std::vector<std::byte> block = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch memory;
  wire::work_budget work;
  routing::verdict verdict;
};

TEST(work_budget, without_any_every_filter_is_unknown) {
  const with_work made{R"({"find": "r", "$db": "db", "filter": {"a": 1}})", 0};
  EXPECT_TRUE(made.verdict.abandoned);
  EXPECT_EQ(made.verdict.routing, routing_class::unknown);
  EXPECT_EQ(label(made.verdict.why), "work_budget");
  EXPECT_EQ(made.verdict.statements.back(), 1U);
}

TEST(work_budget, is_never_spent_on_a_verdict_that_is_too_narrow) {
  const std::string json = R"({"find": "r", "$db": "db", "filter": {"$and": [{"a": {"$gte": 1}},
      {"$or": [{"a": 1}, {"a": 2}, {"b": 5}]}, {"$nor": [{"a": 7}, {"a": 8}]}]}})";
  const with_work whole{json, 1'000'000};
  ASSERT_FALSE(whole.verdict.abandoned);
  for (std::int64_t units = 0; units < whole.work.spent(); units += 3) {
    const with_work made{json, units};
    const auto& verdict = made.verdict;
    EXPECT_TRUE(verdict.abandoned || verdict.bounds >= whole.verdict.bounds) << units;
    EXPECT_TRUE(verdict.abandoned || verdict.widened ||
                verdict.routing == whole.verdict.routing)
        << units;
  }
}

TEST(work_budget, serves_what_comes_after_as_well) {
  const with_work made{R"({"find": "r", "$db": "db", "filter": {"a": 1}})", 100'000};
  EXPECT_GT(made.work.spent(), 0);
  EXPECT_LT(made.work.spent(), 1'000);
}

TEST(work_budget, is_enough_for_a_thousand_branches) {
  std::string branches;
  for (int i = 0; i != 1000; ++i) {
    branches += (i == 0 ? "" : ",") + std::string{R"({"a": )"} + std::to_string(i) + "}";
  }
  const judged made{budget_catalog(),
                    R"({"find": "r", "$db": "db", "filter": {"$or": [)" + branches + "]}}"};
  EXPECT_FALSE(made.verdict().widened);
  EXPECT_EQ(made.verdict().routing, routing_class::single_shard);
}

/// Under a sanitizer, frames are several times as large.
constexpr std::size_t little_stack = std::size_t{tests::has_sanitizer ? 8 : 1} << 20U;

/// Judges on a small stack, and returns the verdict.
std::string judged_on_little_stack(const std::string& json) {
  struct job {
    const std::string& json;
    std::string found;
  } todo{json, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, little_stack);
  pthread_t thread;
  const auto run = [](void* given) -> void* {
    auto& one = *static_cast<job*>(given);
    one.found = judged{budget_catalog(), one.json}.why();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &todo), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return todo.found;
}

TEST(depth, needs_little_stack) {
  const std::string find = R"({"find": "r", "$db": "db", "filter": )";
  const std::string aggregate = R"({"aggregate": "r", "$db": "db", "cursor": {}, "pipeline": )";
  EXPECT_NE(judged_on_little_stack(find + R"({"a": )" +
                                   nested(R"({"$not": )", R"({"$gt": 5})", "}", 190) + "}}"),
            "");
  EXPECT_NE(
      judged_on_little_stack(find + nested(R"({"$nor": [)", R"({"a": 1})", "]}", 95) + "}"),
      "");
  EXPECT_NE(
      judged_on_little_stack(
          aggregate +
          nested(R"([{"$lookup": {"from": "r", "as": "x", "pipeline": )", "[]", "}}]", 64) +
          "}"),
      "");
}

TEST(depth, what_mongos_reads_is_judged) {
  const auto filter = nested(R"({"$and": [)", R"({"a": 1})", "]}", 90);
  const judged made{budget_catalog(),
                    R"({"find": "r", "$db": "db", "filter": )" + filter + "}"};
  EXPECT_EQ(made.verdict().bounds, routing::bounds_kind::point);
}

TEST(depth, facets_in_one_another_are_never_unsharded) {
  for (const std::size_t levels : {1U, 15U, 16U, 40U, 60U}) {
    const auto stages =
        nested(R"([{"$facet": {"x": )", R"([{"$unionWith": "r"}])", "}}]", levels);
    const judged made{
        budget_catalog(),
        R"({"aggregate": "u", "$db": "db", "cursor": {}, "pipeline": )" + stages + "}"};
    const auto routing = made.verdict().routing;
    EXPECT_TRUE(routing == routing_class::scatter_gather || routing == routing_class::unknown)
        << levels;
  }
}

TEST(depth, lookups_in_one_another_are_judged_to_the_innermost) {
  const auto stages =
      nested(R"([{"$lookup": {"from": "u", "as": "x", "pipeline": )",
             R"([{"$lookup": {"from": "r", "as": "y", "pipeline": []}}])", "}}]", 19);
  const judged made{
      budget_catalog(),
      R"({"aggregate": "u", "$db": "db", "cursor": {}, "pipeline": )" + stages + "}"};
  EXPECT_EQ(made.verdict().routing, routing_class::scatter_gather);
}

}  // namespace
}  // namespace scattergate::routing_tests
