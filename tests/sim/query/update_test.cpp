#include "sim/query/update.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "tests/sim/from_json.hpp"

namespace scattergate::sim {
namespace {

constexpr std::int64_t now = 1'700'000'000'000;

value parsed(const char* json) {
  document wrapped = from_json(std::string{R"({"v": )"} + json + "}");
  return wrapped.front().content;
}

struct update_case {
  const char* before;
  const char* change;
  const char* after;
};

void expect_updates(const std::vector<update_case>& cases) {
  for (const update_case& each : cases) {
    const document after =
        update{parsed(each.change), now}.apply(from_json(each.before), false);
    EXPECT_EQ(to_json(after), to_json(from_json(each.after)))
        << each.change << " on " << each.before;
  }
}

TEST(update, sets_and_unsets_fields_at_any_depth) {
  expect_updates({
      {R"({"_id": 1})", R"({"$set": {"a.b": 1}})", R"({"_id": 1, "a": {"b": 1}})"},
      {R"({"a": [1, 2]})", R"({"$set": {"a.1": 5}})", R"({"a": [1, 5]})"},
      {R"({"a": [1]})", R"({"$set": {"a.3": 5}})", R"({"a": [1, null, null, 5]})"},
      {R"({"a": [{"b": 1}]})", R"({"$set": {"a.0.c": 2}})", R"({"a": [{"b": 1, "c": 2}]})"},
      {R"({"a": {"b": 1, "c": 2}})", R"({"$unset": {"a.b": ""}})", R"({"a": {"c": 2}})"},
      {R"({"a": [1, 2]})", R"({"$unset": {"a.0": ""}})", R"({"a": [null, 2]})"},
      {R"({"a": 1})", R"({"$unset": {"b.c": ""}})", R"({"a": 1})"},
      {R"({"a": 1})", R"({"$rename": {"a": "b.c"}})", R"({"b": {"c": 1}})"},
      {R"({"a": 1})", R"({"$setOnInsert": {"b": 1}})", R"({"a": 1})"},
  });
}

TEST(update, changes_members_of_arrays_by_position) {
  struct positional_case {
    const char* filter;
    const char* array_filters;
    const char* change;
    const char* after;
  };
  const document before =
      from_json(R"({"a": [1, 5, 9], "l": [{"x": 1, "m": [1, 2]}, {"x": 2}]})");
  for (const positional_case& each : std::vector<positional_case>{
           {R"({"a": 5})", "[]", R"({"$set": {"a.$": 0}})",
            R"({"a": [1, 0, 9], "l": [{"x": 1, "m": [1, 2]}, {"x": 2}]})"},
           {R"({"b": 1, "$and": [{"l.x": {"$gt": 1}}]})", "[]", R"({"$inc": {"l.$.x": 1}})",
            R"({"a": [1, 5, 9], "l": [{"x": 1, "m": [1, 2]}, {"x": 3}]})"},
           {R"({"l": {"$elemMatch": {"x": 2}}})", "[]", R"({"$unset": {"l.$.x": 1}})",
            R"({"a": [1, 5, 9], "l": [{"x": 1, "m": [1, 2]}, {}]})"},
           {"{}", "[]", R"({"$mul": {"a.$[]": 2}})",
            R"({"a": [2, 10, 18], "l": [{"x": 1, "m": [1, 2]}, {"x": 2}]})"},
           {"{}", R"([{"e.x": 1}, {"n": {"$gte": 2}}])", R"({"$set": {"l.$[e].m.$[n]": 7}})",
            R"({"a": [1, 5, 9], "l": [{"x": 1, "m": [1, 7]}, {"x": 2}]})"},
           {"{}", R"([{"$or": [{"e": 1}, {"e": 9}]}])", R"({"$set": {"a.$[e]": 0}})",
            R"({"a": [0, 5, 0], "l": [{"x": 1, "m": [1, 2]}, {"x": 2}]})"},
           {"{}", R"([{"e": 77}])", R"({"$set": {"a.$[e]": 0}})",
            R"({"a": [1, 5, 9], "l": [{"x": 1, "m": [1, 2]}, {"x": 2}]})"}}) {
    const value filters = parsed(each.array_filters);
    const update change{parsed(each.change), now, *filters.as<array>()};
    EXPECT_EQ(to_json(change.apply(before, false, from_json(each.filter))),
              to_json(from_json(each.after)))
        << each.change;
  }
}

TEST(update, refuses_positions_that_name_no_member) {
  const document before = from_json(R"({"a": [1, 5, 9], "n": 1})");
  const auto code_of = [&before](const char* change, const char* array_filters = "[]") {
    const value filters = parsed(array_filters);
    try {
      static_cast<void>(
          update{parsed(change), now, *filters.as<array>()}.apply(before, false, document{}));
    } catch (const command_failure& failure) {
      return static_cast<int>(failure.code());
    }
    return 0;
  };
  EXPECT_EQ(code_of(R"({"$set": {"a.$": 1}})"), 2);
  EXPECT_EQ(code_of(R"({"$set": {"$": 1}})"), 2);
  EXPECT_EQ(code_of(R"({"$set": {"a.$x": 1}})"), 2);
  EXPECT_EQ(code_of(R"({"$set": {"n.$[]": 1}})"), 2);
  EXPECT_EQ(code_of(R"({"$set": {"z.$[]": 1}})"), 2);
  EXPECT_EQ(code_of(R"({"$set": {"a.$[e]": 1}})"), 2);
  EXPECT_EQ(code_of(R"({"$rename": {"a.$[]": "b"}})"), 2);
  EXPECT_EQ(code_of(R"({"$set": {"a": 1}})", R"([{"e": 1}])"), 9);
  EXPECT_EQ(code_of(R"({"$set": {"a.$[e]": 1}})", R"([{"e": 1}, {"e.x": 1}])"), 9);
  EXPECT_EQ(code_of(R"({"a": 1})", R"([{"e": 1}])"), 9);
}

TEST(update, counts_with_the_promotions_of_bson) {
  expect_updates({
      {R"({"a": 1})", R"({"$inc": {"a": 2, "b": -1}})", R"({"a": 3, "b": -1})"},
      {R"({"a": 2147483647})", R"({"$inc": {"a": 1}})",
       R"({"a": {"$numberLong": "2147483648"}})"},
      {R"({"a": {"$numberLong": "9223372036854775807"}})", R"({"$inc": {"a": 1}})",
       R"({"a": 9223372036854775808.0})"},
      {R"({"a": 3})", R"({"$mul": {"a": 1.5, "b": 5}})", R"({"a": 4.5, "b": 0})"},
      {R"({"a": 3})", R"({"$min": {"a": 2}, "$max": {"b": 7}})", R"({"a": 2, "b": 7})"},
  });
}

TEST(update, changes_arrays) {
  expect_updates({
      {R"({})", R"({"$push": {"a": 1}})", R"({"a": [1]})"},
      {R"({"a": [3]})", R"({"$push": {"a": {"$each": [1, 2], "$sort": 1, "$slice": 2}}})",
       R"({"a": [1, 2]})"},
      {R"({"a": [1, 4]})", R"({"$push": {"a": {"$each": [2, 3], "$position": 1}}})",
       R"({"a": [1, 2, 3, 4]})"},
      {R"({"a": [{"s": 2}, {"s": 1}]})",
       R"({"$push": {"a": {"$each": [], "$sort": {"s": 1}, "$slice": -1}}})",
       R"({"a": [{"s": 2}]})"},
      {R"({"a": [1]})", R"({"$addToSet": {"a": {"$each": [1, 2, 2]}}})", R"({"a": [1, 2]})"},
      {R"({"a": [1, 5, 9]})", R"({"$pull": {"a": {"$gt": 4}}})", R"({"a": [1]})"},
      {R"({"a": [{"b": 1}, {"b": 2}]})", R"({"$pull": {"a": {"b": 1}}})",
       R"({"a": [{"b": 2}]})"},
      {R"({"a": [1, 2, 1]})", R"({"$pullAll": {"a": [1]}})", R"({"a": [2]})"},
      {R"({"a": [1, 2, 3]})", R"({"$pop": {"a": -1}})", R"({"a": [2, 3]})"},
      {R"({})", R"({"$pop": {"a": 1}})", R"({})"},
  });
}

TEST(update, replaces_all_but_the_id) {
  expect_updates({
      {R"({"_id": 1, "a": 1})", R"({"b": 2})", R"({"_id": 1, "b": 2})"},
      {R"({"_id": 1, "a": 1})", R"({"b": 2, "_id": 1})", R"({"_id": 1, "b": 2})"},
      {R"({"_id": 1, "a": 1})", R"([{"$set": {"b": {"$add": ["$a", 1]}}}, {"$unset": "a"}])",
       R"({"_id": 1, "b": 2})"},
  });
}

TEST(update, writes_the_time_it_was_given) {
  const update change{parsed(R"({"$currentDate": {"a": true, "b": {"$type": "timestamp"}}})"),
                      now};
  const document after = change.apply({}, false);
  EXPECT_EQ(after.find("a")->as<date>()->millis, now);
  EXPECT_EQ(after.find("b")->as<timestamp>()->seconds, now / 1000);
}

TEST(update, an_upsert_begins_with_the_equalities_of_its_filter) {
  const document seed = update::seed_of(from_json(
      R"({"a": 1, "b": {"$gt": 5}, "$and": [{"c.d": {"$eq": 2}}], "e": {"$in": [1]}})"));
  EXPECT_EQ(to_json(seed), to_json(from_json(R"({"a": 1, "c": {"d": 2}})")));
  const update change{parsed(R"({"$setOnInsert": {"x": 1}})"), now};
  EXPECT_TRUE(change.apply(seed, true).has("x"));
}

TEST(update, refuses_what_mongodb_refuses) {
  struct refusal {
    const char* before;
    const char* change;
    errc code;
  };
  for (const refusal& each : std::vector<refusal>{
           {R"({"_id": 1})", R"({"$set": {"_id": 2}})", errc::immutable_field},
           {R"({"_id": 1})", R"({"_id": 2})", errc::immutable_field},
           {R"({"a": 1})", R"({"$set": {"a.b": 1}})", errc::path_not_viable},
           {R"({"a": "x"})", R"({"$inc": {"a": 1}})", errc::type_mismatch},
           {R"({"a": 1})", R"({"$push": {"a": 1}})", errc::bad_value},
           {R"({})", R"({"$set": {"a": 1}, "$inc": {"a.b": 1}})",
            errc::conflicting_update_operators},
           {R"({})", R"({"$nonsense": {"a": 1}})", errc::failed_to_parse},
           {R"({})", R"({"$set": 5})", errc::failed_to_parse},
           {R"({})", R"({"a": 1, "$set": {"b": 1}})", errc::dollar_prefixed_field_name},
           {R"({"a": []})", R"({"$set": {"a.999999999": 1}})", errc::bad_value},
           {R"({})", R"({"$set": {"a.$.b": 1}})", errc::bad_value},
           {R"({})", R"([{"$group": {"_id": 1}}])", errc::invalid_options},
       }) {
    try {
      static_cast<void>(update{parsed(each.change), now}.apply(from_json(each.before), false));
      ADD_FAILURE() << each.change << " was accepted";
    } catch (const command_failure& failure) {
      EXPECT_EQ(failure.code(), each.code) << each.change << ": " << failure.what();
    }
  }
}

}  // namespace
}  // namespace scattergate::sim
