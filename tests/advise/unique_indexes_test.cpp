#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/shard_key.hpp"
#include "tests/routing/judging_support.hpp"

namespace scattergate::advise {
namespace {

using testing::ElementsAre;

std::vector<index> indexes_of(std::initializer_list<const char*> texts) {
  std::vector<index> made;
  for (const char* const one : texts) made.push_back({routing_tests::bson_of(one)});
  return made;
}

struct unique_case {
  const char* what;
  shard_key key;
  const char* index;
  bool is_forbidden, is_unique_on_key;
};

class unique_index : public testing::TestWithParam<unique_case> {};

/// https://www.mongodb.com/docs/manual/core/sharding-shard-key/#unique-indexes
TEST_P(unique_index, must_begin_with_the_whole_key) {
  const auto& [what, key, text, is_forbidden, is_unique] = GetParam();
  EXPECT_EQ(forbidden_by(key, indexes_of({text})).size(), is_forbidden ? 1U : 0U);
  EXPECT_EQ(has_unique_on(key, indexes_of({text})), is_unique);
}

INSTANTIATE_TEST_SUITE_P(
    indexes, unique_index,
    testing::Values(
        unique_case{"the_key_itself",
                    {{"a"}, {"b"}},
                    R"({"key": {"a": 1, "b": 1}, "unique": true})",
                    false,
                    true},
        unique_case{"longer_than_the_key",
                    {{"a"}},
                    R"({"key": {"a": 1, "b": 1}, "unique": true})",
                    false,
                    false},
        unique_case{"shorter_than_the_key",
                    {{"a"}, {"b"}},
                    R"({"key": {"a": 1}, "unique": true})",
                    true,
                    false},
        unique_case{"in_another_order",
                    {{"a"}, {"b"}},
                    R"({"key": {"b": 1, "a": 1}, "unique": true})",
                    true,
                    false},
        unique_case{
            "of_other_fields", {{"a"}}, R"({"key": {"b": 1}, "unique": true})", true, false},
        unique_case{"not_unique", {{"a"}}, R"({"key": {"b": 1}})", false, false},
        unique_case{"the_key_but_not_unique", {{"a"}}, R"({"key": {"a": 1}})", false, false},
        unique_case{"of_a_hashed_key",
                    {{"a", true}},
                    R"({"key": {"a": 1}, "unique": true})",
                    false,
                    false},
        unique_case{
            "of_the_id", {{"a"}}, R"({"key": {"_id": 1}, "name": "_id_"})", false, false},
        unique_case{"of_the_id_as_the_key",
                    {{"_id"}},
                    R"({"key": {"_id": 1}, "name": "_id_"})",
                    false,
                    true},
        unique_case{"of_the_id_and_more",
                    {{"a"}},
                    R"({"key": {"_id": 1, "a": 1}, "unique": true})",
                    false,
                    false}),
    [](const auto& of) { return of.param.what; });

TEST(forbidden_by, names_the_indexes_or_their_fields) {
  EXPECT_THAT(
      forbidden_by({{"a"}}, indexes_of({R"({"key": {"b": 1}, "unique": true, "name": "by b"})",
                                        R"({"key": {"c": 1, "d": 1}, "unique": true})"})),
      ElementsAre("by b", "c, d"));
}

}  // namespace
}  // namespace scattergate::advise
