#include "routing/stages/stage.hpp"

#include <string>

#include <gtest/gtest.h>

namespace scattergate::routing {
namespace {

TEST(stage, is_found_by_its_exact_name) {
  EXPECT_EQ(stage_of("$lookup").name, "$lookup");
  EXPECT_EQ(stage_of("$lookup").other, stage_collections::lookup);
  EXPECT_EQ(stage_of("$listSearchIndexes").source, stage_source::mongos);
  for (const char* name : {"", "$", "lookup", "$Lookup", "$lookups", "$looku", "$_internal"}) {
    EXPECT_FALSE(stage_of(name).is_listed()) << name;
  }
  EXPECT_FALSE(stage_of(std::string(1 << 20, '$')).is_listed());
}

TEST(stage, one_that_is_not_listed_does_nothing_special) {
  const stage_row& none = stage_of("$noSuchStage");
  EXPECT_EQ(none.source, stage_source::documents);
  EXPECT_EQ(none.other, stage_collections::none);
  EXPECT_EQ(none.passes, stage_pass::never);
  EXPECT_EQ(none.shape, form::expression);
  EXPECT_FALSE(none.writes() || none.joins() || none.asks_by_nature());
}

TEST(stage, is_in_the_versions_of_its_row) {
  constexpr stage_row always{.name = "$always"};
  EXPECT_TRUE(always.is_in({4, 4}));
  EXPECT_TRUE(always.is_in({9, 9}));
  constexpr stage_row later{.name = "$later", .since = {9, 1}};
  EXPECT_FALSE(later.is_in({9, 0}));
  EXPECT_FALSE(later.is_in({9, 0, 7}));
  EXPECT_TRUE(later.is_in({9, 1}));
  EXPECT_TRUE(later.is_in({9, 1, 3}));
  constexpr stage_row once{.name = "$once", .since = {5, 0}, .until = {7, 0}};
  EXPECT_FALSE(once.is_in({4, 4, 29}));
  EXPECT_TRUE(once.is_in({6, 3}));
  EXPECT_FALSE(once.is_in({7, 0}));
  EXPECT_FALSE(once.is_in({8, 0, 1}));
}

TEST(stage, a_stage_joins_or_writes_and_never_both) {
  for (const char* name : {"$lookup", "$graphLookup", "$unionWith", "$facet"}) {
    EXPECT_TRUE(stage_of(name).joins() && !stage_of(name).writes()) << name;
  }
  for (const char* name : {"$merge", "$out"}) {
    EXPECT_TRUE(stage_of(name).writes() && !stage_of(name).joins()) << name;
  }
}

TEST(stage, what_scattergate_writes_itself_is_listed) {
  for (const auto name : {add_fields_stage, limit_stage, sort_stage}) {
    EXPECT_TRUE(stage_of(name).is_listed()) << name;
    EXPECT_FALSE(stage_of(name).joins()) << name;
  }
}

}  // namespace
}  // namespace scattergate::routing
