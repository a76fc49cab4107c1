#include "routing/bounds/constants/constant_folding.hpp"

#include <gtest/gtest.h>

#include "tests/routing/value_support.hpp"

/// A table of expressions and what mongos makes of them before it looks at any document (mongo:
/// db/pipeline/expression.cpp, optimize()).
namespace scattergate::routing_tests {
namespace {

struct row {
  std::string_view expression;
  std::string_view value;  ///< as JSON; or unknown, missing, varying, some_date
};

std::string encoding_of(const routing::folded& found, routing::scratch& memory) {
  using kind = routing::folded::kind;
  switch (found.is) {
    case kind::unknown:
      return "unknown";
    case kind::missing:
      return "missing";
    case kind::varying:
      return "varying";
    case kind::some_date:
      return "some_date";
    default:
      return hex(routing::encode(found.value, memory));
  }
}

std::string expected(std::string_view value) {
  const bool is_word = std::isalpha(static_cast<unsigned char>(value[0])) != 0;
  return is_word && value != "true" && value != "false" && value != "null"
             ? std::string{value}
             : hex(encoded(value));
}

void expect(std::initializer_list<row> rows, routing::server_version version = {8, 2},
            std::string_view let = "{}") {
  const tests::json_document variables{let};
  for (const row& each : rows) {
    const tests::json_document document{"{\"v\": " + std::string{each.expression} + "}"};
    owned_scratch<> room;
    const routing::let_variables bound{variables.view(), true, room.memory};
    routing::constant_folding folding{&bound, version, room.memory};
    const routing::folded found = folding.fold(document.first());
    EXPECT_EQ(encoding_of(found, room.memory), expected(each.value)) << each.expression;
  }
}

TEST(constant_folding, a_literal_stands_for_itself) {
  expect({{"5", "5"},
          {R"("x")", R"("x")"},
          {R"({"$literal": "$x"})", R"("$x")"},
          {R"({"$const": {"$add": [1, 2]}})", R"({"$add": [1, 2]})"},
          {R"("$x")", "unknown"},
          {R"({"a": 1, "b": {"$add": [1, 1]}})", R"({"a": 1, "b": 2})"},
          {R"({"a": "$x"})", "unknown"},
          {R"({"a": "$$REMOVE", "b": 1})", R"({"b": 1})"},
          {R"([1, {"$concat": ["a", "b"]}, "$$REMOVE"])", R"([1, "ab", null])"},
          {"{}", "{}"}});
}

TEST(constant_folding, arithmetic) {
  expect({{R"({"$add": [2, 3]})", "5"},
          {R"({"$add": []})", "0"},
          {R"({"$add": [2, 0.5]})", "2.5"},
          {R"({"$add": [2, null]})", "null"},
          {R"({"$add": [2, "$x"]})", "unknown"},
          {R"({"$add": [2, "x"]})", "unknown"},
          {R"({"$subtract": [2, 5]})", "-3"},
          {R"({"$multiply": [2, 3, 4]})", "24"},
          {R"({"$multiply": [{"$add": [1, 1]}, 3]})", "6"},
          {R"({"$divide": [3, 2]})", "1.5"},
          {R"({"$divide": [3, 0]})", "unknown"},
          {R"({"$mod": [7, 3]})", "1"},
          {R"({"$abs": -4})", "4"},
          {R"({"$floor": 2.5})", "2"},
          {R"({"$ceil": [2.5]})", "3"},
          {R"({"$add": [{"$numberLong": "9223372036854775807"}, 1]})", "unknown"},
          {R"({"$add": [{"$numberDecimal": "1"}, 1]})", "unknown"}});
}

TEST(constant_folding, dates_move_and_have_distances) {
  expect({{R"({"$add": [{"$date": {"$numberLong": "1000"}}, 5]})",
           R"({"$date": {"$numberLong": "1005"}})"},
          {R"({"$subtract": [{"$date": {"$numberLong": "1000"}}, 5]})",
           R"({"$date": {"$numberLong": "995"}})"},
          {R"({"$subtract": [{"$date": {"$numberLong": "1000"}},
               {"$date": {"$numberLong": "400"}}]})",
           "600"},
          {R"({"$subtract": [5, {"$date": {"$numberLong": "400"}}]})", "unknown"},
          {R"({"$add": [{"$date": {"$numberLong": "1"}}, {"$date": {"$numberLong": "1"}}]})",
           "unknown"},
          {R"({"$add": [{"$date": {"$numberLong": "1"}}, 0.5]})", "unknown"}});
}

TEST(constant_folding, strings) {
  expect({{R"({"$concat": ["a", "b"]})", R"("ab")"},
          {R"({"$concat": []})", R"("")"},
          {R"({"$concat": ["a", null]})", "null"},
          {R"({"$concat": ["a", 5]})", "unknown"},
          {R"({"$concat": ["a", "$x"]})", "unknown"},
          {R"({"$toUpper": "aé1"})", R"("Aé1")"},
          {R"({"$toLower": "ABC"})", R"("abc")"}});
}

TEST(constant_folding, conversions) {
  expect({{R"({"$toObjectId": "5f000000000000000000000A"})",
           R"({"$oid": "5f000000000000000000000a"})"},
          {R"({"$toObjectId": "5f"})", "unknown"},
          {R"({"$toObjectId": null})", "null"},
          {R"({"$toString": {"$oid": "5f000000000000000000000a"}})",
           R"("5f000000000000000000000a")"},
          {R"({"$toString": 12})", R"("12")"},
          {R"({"$toString": true})", R"("true")"},
          {R"({"$toDate": {"$numberLong": "5"}})", R"({"$date": {"$numberLong": "5"}})"},
          {R"({"$toDate": "1970-01-02"})", R"({"$date": {"$numberLong": "86400000"}})"},
          {R"({"$toDate": "2024-02-29T12:30:15.250Z"})",
           R"({"$date": {"$numberLong": "1709209815250"}})"},
          {R"({"$toDate": "yesterday"})", "unknown"},
          {R"({"$toDate": {"$oid": "000000010000000000000000"}})",
           R"({"$date": {"$numberLong": "1000"}})"},
          {R"({"$toInt": "12"})", "12"},
          {R"({"$toLong": 12.9})", "12"},
          {R"({"$toInt": {"$numberLong": "3000000000"}})", "unknown"},
          {R"({"$toDouble": "12.5"})", "unknown"}});
}

TEST(constant_folding, decisions) {
  expect({{R"({"$cond": [{"$gt": [2, 1]}, "yes", "no"]})", R"("yes")"},
          {R"({"$ifNull": [null, 5]})", "5"},
          {R"({"$eq": [1, 1.0]})", "true"},
          {R"({"$and": [1, 0]})", "false"},
          {R"({"$not": [null]})", "true"},
          {R"({"$nonsense": 1})", "unknown"}});
}

TEST(constant_folding, variables) {
  constexpr std::string_view let =
      R"({"a": 5, "d": {"x": {"y": 7}, "l": [{"y": 1}]}, "s": {"$add": [1, 2]}, "f": "$x"})";
  expect({{R"("$$a")", "5"},
          {R"({"$add": ["$$a", 1]})", "6"},
          {R"("$$d.x.y")", "7"},
          {R"("$$d.z")", "missing"},
          {R"("$$d.l.y")", "unknown"},
          {R"("$$s")", "3"},
          {R"("$$f")", "unknown"},
          {R"("$$nobody")", "unknown"},
          {R"("$$ROOT")", "unknown"}},
         {8, 2}, let);
  expect(
      {{R"({"$let": {"vars": {"a": 2}, "in": {"$multiply": ["$$a", 3]}}})", "6"},
       {R"({"$let": {"vars": {"a": "$x"}, "in": 5}})", "unknown"},
       {R"({"$let": {"vars": {"a": 2}, "in": {"$let": {"vars": {"b": "$$a"}, "in": "$$b"}}}})",
        "2"}});
  // The variables of a $let are inlined since 8.1 (mongo: expression_let.cpp).
  expect({{R"({"$let": {"vars": {"a": 2}, "in": "$$a"}})", "unknown"}}, {8, 0});
}

TEST(constant_folding, the_time_is_known_to_the_server_alone) {
  expect({{R"("$$NOW")", "some_date"},
          {R"({"$subtract": ["$$NOW", 1000]})", "some_date"},
          {R"({"$add": [1000, "$$NOW"]})", "some_date"},
          {R"({"$subtract": ["$$NOW", "$$NOW"]})", "unknown"},
          {R"({"$subtract": [5, "$$NOW"]})", "unknown"},
          {R"({"$toString": "$$NOW"})", "unknown"},
          {R"("$$NOW.x")", "unknown"}});
  expect({{R"({"$dateSubtract": {"startDate": "$$NOW", "unit": "day", "amount": 7}})",
           "some_date"},
          {R"({"$dateAdd": {"startDate": {"$toDate": "2024-05-01T00:00:00Z"}, "unit": "hour",
               "amount": {"$add": [1, 2]}, "timezone": "Asia/Seoul"}})",
           "some_date"},
          {R"({"$dateTrunc": {"date": {"$dateAdd": {"startDate": "$$NOW", "unit": "day",
               "amount": 1}}, "unit": "week"}})",
           "some_date"},
          {R"({"$dateAdd": {"startDate": "$x", "unit": "day", "amount": 7}})", "unknown"},
          {R"({"$dateAdd": {"startDate": "$$NOW", "unit": "$u", "amount": 7}})", "unknown"},
          {R"({"$dateAdd": {"startDate": "$$NOW", "unit": null, "amount": 7}})", "unknown"},
          {R"({"$dateAdd": {"startDate": "2024", "unit": "day", "amount": 7}})", "unknown"},
          {R"({"$dateAdd": {"unit": "day", "amount": 7}})", "unknown"},
          {R"({"$dateAdd": ["$$NOW", "day", 7]})", "unknown"}});
  expect({{R"("$$NOW")", "unknown"}}, {4, 4});
  expect({{R"("$$NOW")", "unknown"}}, {5, 0, 0});
  expect({{R"("$$NOW")", "unknown"}}, {5, 0, 31});
  expect({{R"("$$NOW")", "some_date"}}, {6, 0});
}

TEST(constant_folding, without_room_nothing_is_known) {
  const tests::json_document document{R"({"v": {"$add": [1, 2]}})"};
  std::vector<std::byte> block(16);
  routing::scratch memory{block};
  routing::constant_folding folding{nullptr, {8, 2}, memory};
  EXPECT_EQ(folding.fold(document.first()).is, routing::folded::kind::unknown);
}

}  // namespace
}  // namespace scattergate::routing_tests
