#include "digest/placeholder.hpp"

#include <set>

#include <gtest/gtest.h>

#include "digest/example_values.hpp"
#include "routing/shape/placeholder.hpp"

namespace scattergate::digest {
namespace {

using wire::bson_type;

/// Of these no value can be made up.
const std::set<std::string_view> without_value = {"?javascript", "?javascriptWithScope",
                                                  "?symbol", "?dbPointer"};

/// For a plain list the shape always has the type of its members.
const std::set<std::string_view> without_example = {"?array", "?dbPointer"};

TEST(placeholders, have_a_value_of_their_type_and_an_example) {
  for (const routing::placeholder& one : routing::placeholders) {
    wire::bson_writer to;
    EXPECT_EQ(write_placeholder("x", one.name, 1, to), !without_value.contains(one.name))
        << one.name;
    const std::string name{one.name};
    const std::string expected =
        without_example.contains(one.name)
            ? "\"x\":\"" + name + "\""
            : "\"x\":" + std::string{one.example} + " /*" + name + "*/";
    EXPECT_EQ(with_values("\"x\":\"" + name + "\""), expected);
    if (without_value.contains(one.name)) continue;
    const auto bytes = to.take();
    const auto value = wire::find_field(*wire::document_view::from(bytes), "x");
    ASSERT_TRUE(value) << one.name;
    EXPECT_EQ(value->type(), one.type) << one.name;
  }
}

TEST(placeholders, are_there_for_every_type) {
  using enum bson_type;
  for (const bson_type type :
       {float64,         string, document,  array, binary,     undefined, object_id,
        boolean,         date,   null,      regex, db_pointer, code,      symbol,
        code_with_scope, int32,  timestamp, int64, decimal128, max_key,   min_key}) {
    const auto* const known = routing::placeholder_named(routing::placeholder_of(type));
    ASSERT_NE(known, nullptr) << static_cast<int>(type);
    const bool is_number = type == float64 || type == int64 || type == decimal128;
    EXPECT_EQ(known->type, is_number ? int32 : type);
  }
  EXPECT_EQ(routing::placeholder_of(static_cast<bson_type>(0x55)), "?unknown");
}

}  // namespace
}  // namespace scattergate::digest
