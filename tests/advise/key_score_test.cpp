#include "advise/key_score.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scattergate::advise {
namespace {

using testing::ElementsAre;

constexpr std::size_t shards = 4;

/// 1.5 shard requests per command, one field, nothing against it.
key_score usual() {
  key_score made;
  made.hottest = 0.1;
  made.per_command = 1.5;
  made.per_minute = 0.1;
  made.fields = 1;
  made.shards = shards;
  return made;
}

template <typename Change>
key_score usual_but(Change change) {
  key_score made = usual();
  change(made);
  return made;
}

struct pair {
  const char* what;
  key_score better, worse;
};

class in_order : public testing::TestWithParam<pair> {};

TEST_P(in_order, the_better_key_is_better_and_comes_first) {
  const auto& [what, better, worse] = GetParam();
  EXPECT_LT(better.compare(worse), 0);
  EXPECT_GT(worse.compare(better), 0);
  EXPECT_THAT(best_first(std::vector{worse, better}, std::nullopt), ElementsAre(1, 0));
}

INSTANTIATE_TEST_SUITE_P(
    key_score, in_order,
    testing::Values(pair{"a_forbidden_index_outweighs_a_hot_value",
                         usual_but([](key_score& of) { of.hottest = 0.9; }),
                         usual_but([](key_score& of) { of.forbids_unique = true; })},
                    pair{"few_values_outweigh_shard_requests",
                         usual_but([](key_score& of) { of.per_command = 3; }),
                         usual_but([](key_score& of) { of.has_few_values = true; })},
                    pair{"a_hot_value_outweighs_shard_requests",
                         usual_but([](key_score& of) { of.per_command = 3; }),
                         usual_but([](key_score& of) { of.hottest = 0.26; })},
                    pair{"a_value_that_is_hot_in_minutes_outweighs_shard_requests",
                         usual_but([](key_score& of) { of.per_command = 3; }),
                         usual_but([](key_score& of) { of.per_minute = 0.26; })},
                    pair{"shard_requests_outweigh_a_minute_s_share",
                         usual_but([](key_score& of) { of.per_minute = 0.2; }),
                         usual_but([](key_score& of) { of.per_command = 1.52; })},
                    pair{"a_minute_s_share_outweighs_fields",
                         usual_but([](key_score& of) { of.fields = 3; }),
                         usual_but([](key_score& of) { of.per_minute = 0.16; })},
                    pair{"an_unknown_share_counts_as_hot",
                         usual_but([](key_score& of) { of.fields = 3; }),
                         usual_but([](key_score& of) { of.per_minute.reset(); })},
                    pair{"fewer_fields_decide_last", usual(),
                         usual_but([](key_score& of) { of.fields = 2; })}),
    [](const auto& of) { return of.param.what; });

TEST(key_score, one_shard_s_share_exactly_isn_t_hot) {
  EXPECT_FALSE(usual_but([](key_score& of) { of.hottest = 0.25; }).is_hot());
  EXPECT_FALSE(usual_but([](key_score& of) { of.hottest.reset(); }).is_hot());
}

TEST(key_score, small_differences_are_none) {
  const key_score a_little_worse = usual_but([](key_score& of) {
    of.per_command = 1.514;  // 1 %
    of.per_minute = 0.149;   // a fifth of 1/4
  });
  EXPECT_EQ(usual().compare(a_little_worse), 0);
  EXPECT_THAT(best_first(std::vector{a_little_worse, usual()}, 0), ElementsAre(0, 1));
  EXPECT_THAT(best_first(std::vector{a_little_worse, usual()}, std::nullopt),
              ElementsAre(1, 0));
}

TEST(key_score, fewer_fields_alone_beat_nothing) {
  const key_score longer = usual_but([](key_score& of) { of.fields = 2; });
  EXPECT_LT(usual().compare(longer), 0);
  EXPECT_FALSE(usual().beats(longer));
  EXPECT_TRUE(usual_but([](key_score& of) { of.per_command = 1; }).beats(longer));
}

TEST(key_score, a_forbidden_or_hot_key_comes_last_even_if_all_others_are_dear) {
  const key_score forbidden = usual_but([](key_score& of) { of.forbids_unique = true; });
  const key_score hot = usual_but([](key_score& of) { of.hottest = 0.5; });
  const key_score dear = usual_but([](key_score& of) { of.per_command = 4; });
  EXPECT_THAT(best_first(std::vector{forbidden, hot, dear}, std::nullopt),
              ElementsAre(2, 1, 0));
}

TEST(key_score, no_keys_have_no_order) {
  EXPECT_THAT(best_first({}, std::nullopt), ElementsAre());
}

}  // namespace
}  // namespace scattergate::advise
