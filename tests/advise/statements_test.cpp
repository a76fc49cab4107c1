#include "advise/statements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

namespace scattergate::advise {
namespace {

using routing_tests::bson_of;
using testing::ElementsAre;

wire::document_view view_of(const std::vector<std::byte>& bytes) {
  return wire::document_view::from(bytes).value();
}

struct update_case {
  const char* what;
  const char* filter;
  const char* update;
  bool changes;
};

class key_change : public testing::TestWithParam<update_case> {};

/// Of the key {a: 1, "b.c": 1}.
TEST_P(key_change, is_found_in_the_update) {
  const auto& [what, filter, update, changes] = GetParam();
  const auto query = bson_of(filter);
  const auto document = bson_of(std::string{"{\"u\": "} + update + "}");
  const shard_key key{{"a"}, {"b.c"}};
  EXPECT_EQ(
      may_change(key, *wire::find_field(view_of(document), "u"), pinned_values(view_of(query))),
      changes);
}

INSTANTIATE_TEST_SUITE_P(
    updates, key_change,
    testing::Values(
        update_case{"of_another_field", "{}", R"({"$set": {"x": 1}})", false},
        update_case{"by_set", R"({"a": 1})", R"({"$set": {"a": 2}})", true},
        update_case{"by_set_to_the_same", R"({"a": 1})", R"({"$set": {"a": 1}})", false},
        update_case{"by_set_to_one_of_several", R"({"a": {"$in": [1, 2]}})",
                    R"({"$set": {"a": 1}})", true},
        update_case{"by_set_of_a_parent", "{}", R"({"$set": {"b": {"c": 1}}})", true},
        update_case{"by_set_of_a_child", "{}", R"({"$set": {"a.x": 1}})", true},
        update_case{"by_inc", R"({"a": 1})", R"({"$inc": {"a": 1}})", true},
        update_case{"by_unset", R"({"a": 1})", R"({"$unset": {"b.c": ""}})", true},
        update_case{"on_insert_only", "{}", R"({"$setOnInsert": {"a": 1}})", false},
        update_case{"by_a_replacement_with_the_key", R"({"a": 1, "b.c": 2})",
                    R"({"a": 1, "b": {"c": 2}, "x": 0})", false},
        update_case{"by_a_replacement_without_the_key", R"({"a": 1, "b.c": 2})", R"({"x": 0})",
                    true},
        update_case{"by_a_pipeline_s_set", R"({"a": 1})", R"([{"$set": {"a": 2}}])", true},
        update_case{"by_a_pipeline_s_set_of_another", R"({"a": 1})", R"([{"$set": {"x": 2}}])",
                    false},
        update_case{"by_a_pipeline_s_replacement", R"({"a": 1})",
                    R"([{"$replaceWith": {"x": 2}}])", true},
        update_case{"by_a_pipeline_s_unset", R"({"a": 1})", R"([{"$unset": "a"}])", true}),
    [](const auto& of) { return of.param.what; });

std::vector<std::string> paths_in(const char* filter) {
  const auto document = bson_of(filter);
  std::vector<std::string> made;
  for (const pinned_value& one : pinned_values(view_of(document))) made.push_back(one.path);
  return made;
}

TEST(pinned_values, are_those_of_equality) {
  EXPECT_THAT(paths_in(R"({"a": 1, "b": {"$eq": 2}, "c": {"$in": [1, 2]}})"),
              ElementsAre("a", "b", "c", "c"));
  EXPECT_THAT(paths_in(R"({"$and": [{"a": 1}, {"$and": [{"b.c": 2}]}]})"),
              ElementsAre("a", "b.c"));
  EXPECT_THAT(paths_in(R"({"a": {"$gt": 1}, "b": {"~regex": "^x"}, "c": [1],
                           "$or": [{"d": 1}, {"e": 1}], "f": {"$ne": 1}})"),
              ElementsAre());
}

std::vector<std::string> alone(const char* command) {
  const auto body = bson_of(command);
  std::vector<std::string> made;
  for_each_alone(wire::command_of(view_of(body)).value(), [&](const wire::command& one,
                                                              const statement& of) {
    std::size_t members = 0;
    for (const char* const batch : {"updates", "deletes", "ops"}) {
      const auto list = wire::find_field(one.body, batch);
      if (!list) continue;
      wire::document_reader reader{*list->as_array()};
      for (wire::element each; reader.next(each);) ++members;
    }
    made.push_back(std::string{one.name} + " of " + std::to_string(members) +
                   (of.update ? ", an update" : "") + (of.is_multi ? ", multi" : "") +
                   (of.is_insert ? ", an insert" : ""));
  });
  return made;
}

TEST(statements_alone, are_commands_of_one_statement) {
  EXPECT_THAT(alone(R"({"update": "c", "updates": [{"q": {"a": 1}, "u": {"$set": {"x": 1}}},
                        {"q": {}, "u": {"$set": {"x": 1}}, "multi": true}], "$db": "db"})"),
              ElementsAre("update of 1, an update", "update of 1, an update, multi"));
  EXPECT_THAT(alone(R"({"delete": "c", "deletes": [{"q": {"a": 1}, "limit": 1},
                        {"q": {"a": 2}, "limit": 0}], "$db": "db"})"),
              ElementsAre("delete of 1", "delete of 1, multi"));
  EXPECT_THAT(alone(R"({"bulkWrite": 1, "ops": [{"insert": 0, "document": {"a": 1}},
                        {"delete": 0, "filter": {"a": 1}, "multi": true}],
                        "nsInfo": [{"ns": "db.c"}], "$db": "admin"})"),
              ElementsAre("bulkWrite of 1, an insert", "bulkWrite of 1, multi"));
  EXPECT_THAT(alone(R"({"find": "c", "filter": {"a": 1}, "$db": "db"})"),
              ElementsAre("find of 0"));
}

}  // namespace
}  // namespace scattergate::advise
