#include "routing/bounds/argument_types.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// The types of the arguments from whose values the judge predicts errors.
namespace scattergate::routing_tests {
namespace {

using routing::argument;
using routing::idl_type;

/// A document that contains the value, which `read` gets.
template <typename Read>
auto read_value(std::string_view json, Read read) {
  const auto bytes = bson_of(R"({"v": )" + std::string{json} + "}");
  wire::document_reader reader{wire::document_view::from(bytes).value()};
  wire::element value;
  EXPECT_TRUE(reader.next(value));
  return read(value);
}

TEST(argument_types, rows_are_in_the_order_of_the_arguments) {
  std::size_t number = 0;
  for (const routing::argument_row& row : routing::argument_table) {
    EXPECT_EQ(static_cast<std::size_t>(row.is), number++) << row.name;
  }
}

TEST(argument_types, null_undefined_and_other_types_count_as_absent) {
  struct {
    std::string_view json;
    bool boolean, number, object;
  } const rows[] = {
      {"null", false, false, false},
      {R"({"$undefined": true})", false, false, false},
      {"true", true, false, false},
      {"0", false, true, false},
      {R"({"$numberLong": "0"})", false, true, false},
      {"0.5", false, true, false},
      {R"({"$numberDecimal": "NaN"})", false, true, false},
      {"{}", false, false, true},
      {"[]", false, false, false},
      {R"("x")", false, false, false},
      {R"({"$date": {"$numberLong": "0"}})", false, false, false},
  };
  for (const auto& row : rows) {
    for (const routing::argument_row& each : routing::argument_table) {
      bool expected = true;  // any_number
      if (each.type == idl_type::boolean) expected = row.boolean;
      if (each.type == idl_type::safe_integer || each.type == idl_type::exact_integer) {
        expected = row.number;
      }
      if (each.type == idl_type::object) expected = row.object;
      read_value(row.json, [&](const wire::element& value) {
        EXPECT_EQ(is_given(each.is, value), expected) << each.name << ' ' << row.json;
      });
    }
  }
}

TEST(argument_types, integers_are_read_as_mongos_reads_them) {
  struct {
    std::string_view json;
    std::optional<std::int64_t> safe;
    std::optional<std::int64_t> exact;
  } const rows[] = {
      {"2", 2, 2},
      {"2.0", 2, 2},
      {"-0.5", 0, std::nullopt},
      {R"({"$numberDouble": "NaN"})", 0, std::nullopt},
      {R"({"$numberDouble": "1e300"})", INT64_MAX, std::nullopt},
      {R"({"$numberDouble": "-Infinity"})", INT64_MIN, std::nullopt},
      {R"({"$numberDecimal": "2"})", 2, 2},
      {R"({"$numberDecimal": "2.00"})", 2, 2},
      {R"({"$numberDecimal": "2E1"})", 20, 20},
      {R"({"$numberDecimal": "-1"})", -1, -1},
      {R"({"$numberDecimal": "-0"})", 0, 0},
      {R"({"$numberDecimal": "1E-6000"})", 0, std::nullopt},
      {R"({"$numberDecimal": "0.4"})", 0, std::nullopt},
      {R"({"$numberDecimal": "NaN"})", 0, std::nullopt},
      {R"({"$numberDecimal": "Infinity"})", INT64_MAX, std::nullopt},
      {"null", std::nullopt, std::nullopt},
      {R"("2")", std::nullopt, std::nullopt},
  };
  for (const auto& row : rows) {
    read_value(row.json, [&](const wire::element& value) {
      EXPECT_EQ(integer_of(argument::skip, value), row.safe) << row.json;
      EXPECT_EQ(integer_of(argument::type_code, value), row.exact) << row.json;
    });
  }
}

TEST(argument_types, any_value_has_a_double) {
  struct {
    std::string_view json;
    double expected;
  } const rows[] = {
      {"1", 1},
      {"0.5", 0.5},
      {R"({"$numberDecimal": "1.0"})", 1},
      {R"({"$numberDecimal": "-0"})", 0},
      {R"({"$numberDecimal": "0E3"})", 0},
      {R"({"$numberDecimal": "1E-6000"})", 0},
      {"null", 0},
      {"true", 0},
      {R"("1")", 0},
      {R"({"$date": {"$numberLong": "5"}})", 0},
  };
  for (const auto& row : rows) {
    read_value(row.json, [&](const wire::element& value) {
      EXPECT_EQ(routing::double_of(value), row.expected) << row.json;
    });
  }
  read_value(R"({"$numberDecimal": "NaN"})", [](const wire::element& value) {
    EXPECT_TRUE(std::isnan(routing::double_of(value)));
  });
}

}  // namespace
}  // namespace scattergate::routing_tests
