#include <cstddef>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/routing/shape_support.hpp"

namespace scattergate::routing {
namespace {

using namespace scattergate::routing_tests;

std::string find_with(const std::string& filter) {
  return R"({"find":"c","filter":)" + filter + R"(,"$db":"d"})";
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string or_of(std::size_t branches, const char* prefix) {
  std::string all = "{\"$or\":[";
  for (std::size_t i = 0; i < branches; ++i) {
    all += (i == 0 ? "{\"" : ",{\"") + (prefix + std::to_string(i)) + "\":1}";
  }
  return all + "]}";
}

/// Whether the text is JSON that libbson can read, and within `max_bytes`.
void expect_sound(const std::string& shape, std::size_t max_bytes) {
  EXPECT_LE(shape.size(), max_bytes);
  EXPECT_NO_THROW(tests::json_document{shape}) << shape;
}

TEST(shape_bounds, too_deep_a_value_is_named_so) {
  const std::string shape =
      shape_of(find_with(repeated("{\"$or\":[", 40) + "{\"a\":1}" + repeated("]}", 40)));
  EXPECT_NE(shape.find("\"?deep\""), std::string::npos) << shape;
  expect_sound(shape, max_shape_bytes);
}

TEST(shape_bounds, explains_within_explains_end_too) {
  const std::string shape = shape_of(repeated("{\"explain\":", 60) + "1" + repeated("}", 60));
  EXPECT_NE(shape.find("\"?deep\""), std::string::npos) << shape;
}

TEST(shape_bounds, nested_ors_cost_no_more_than_their_text) {
  // Looking at every branch twice would take 2^18 steps.
  std::string filter = "{\"a\":1}";
  for (int i = 0; i < 18; ++i) filter = "{\"$or\":[{\"a\":1}," + filter + "]}";
  const json_command command{find_with(filter)};
  lent_scratch lent;
  for (int i = 0; i < 1000; ++i) (void)shape_hash(command.command(), lent.memory());
  expect_sound(shape_of(command.command()), max_shape_bytes);
}

TEST(shape_bounds, a_long_shape_is_cut_to_the_bytes_asked_for) {
  std::string filter = "{\"start\":1";
  for (int i = 0; i < 1000; ++i) filter += ",\"field_" + std::to_string(i) + "\":{\"$gt\":1}";
  const json_command command{find_with(filter + "}")};
  lent_scratch lent;
  for (const std::size_t max : {128U, 129U, 200U, 1000U, 4096U, 8192U}) {
    const std::string shape = shape_json(command.command(), lent.memory(), max);
    expect_sound(shape, max);
    EXPECT_GT(shape.size(), max - 80) << "cut too early";
    EXPECT_NE(shape.find(R"("...":true}})"), std::string::npos) << shape;
  }
  EXPECT_EQ(shape_json(command.command(), lent.memory(), 1 << 20),
            shape_json(command.command(), lent.memory()));
}

TEST(shape_bounds, a_name_longer_than_the_shape_is_cut_away) {
  const std::string name(20'000, 'x');
  EXPECT_EQ(shape_of(find_with("{\"a\":1,\"" + name + "\":1,\"z\":1}")),
            R"({"filter":{"a":"?number","...":true}})");
  EXPECT_EQ(shape_of(R"({"find":"c","hint":")" + name + R"(","sort":{"a":1},"$db":"d"})"),
            R"({"hint":"?string","sort":{"a":1}})");
}

TEST(shape_bounds, equal_statements_are_one_however_long_they_are) {
  std::string statement = R"({"q":{"a":1},"u":{"$set":{"start":1)";
  for (int i = 0; i < 300; ++i) statement += ",\"field_" + std::to_string(i) + "\":1";
  statement += "}}}";
  const std::string one = R"({"update":"c","updates":[)" + statement + R"(],"$db":"d"})";
  const std::string three = R"({"update":"c","updates":[)" + statement + "," + statement + "," +
                            statement + R"(],"$db":"d"})";
  EXPECT_GT(shape_of(one).size(), max_shape_bytes / 2);
  EXPECT_EQ(shape_of(one), shape_of(three));
}

TEST(shape_bounds, the_distinct_items_of_a_list_are_bounded) {
  const std::string within = shape_of(find_with(or_of(64, "f")));
  EXPECT_EQ(within.find("..."), std::string::npos);
  const std::string beyond = shape_of(find_with(or_of(65, "f")));
  EXPECT_TRUE(beyond.ends_with(R"({"f63":"?number"},"..."]}})")) << beyond;
  EXPECT_EQ(beyond, shape_of(find_with(or_of(1000, "f"))));
}

TEST(shape_bounds, the_fields_sorted_at_once_are_bounded) {
  std::string filter = "{\"start\":1";
  for (int i = 0; i < 3000; ++i) filter += ",\"" + std::to_string(i) + "\":1";
  EXPECT_EQ(shape_of(find_with(filter + "}")), R"({"filter":{"...":true}})");
}

TEST(shape_bounds, a_map_keyed_by_ids_is_one_shape) {
  const std::string id = "507f1f77bcf86cd79943901";
  EXPECT_EQ(shape_of(find_with("{\"m." + id + "0.x\":1,\"m." + id + "1.x\":1,\"m.x\":1}")),
            R"({"filter":{"m.?objectId.x":"?number","m.x":"?number"}})");
  EXPECT_EQ(shape_of(find_with(R"({"m.123e4567-e89b-12d3-a456-426614174000":1,"17":1})")),
            R"({"filter":{"?number":"?number","m.?uuid":"?number"}})");
  // Almost an id is a name.
  EXPECT_EQ(shape_of(find_with("{\"m." + id + "\":1,\"1x\":1,\"..\":1}")),
            R"({"filter":{"..":"?number","1x":"?number","m.)" + id + R"(":"?number"}})");
}

TEST(shape_bounds, names_are_sorted_as_they_are_shown) {
  const std::string left = R"({"a.507f1f77bcf86cd799439011":1,"a.6":"s","a.b":1,"a":1})";
  const std::string right = R"({"a.b":1,"a.f07f1f77bcf86cd799439011":1,"a":1,"a.9":"s"})";
  EXPECT_EQ(shape_of(find_with(left)), shape_of(find_with(right)));
}

TEST(shape_bounds, a_scratch_without_room_still_gives_a_shape) {
  const json_command command{find_with(R"({"a":1,"b":1})")};
  for (const std::size_t bytes : {0U, 100U, 16'384U, 16'500U}) {
    lent_scratch lent{bytes};
    const std::string shape = shape_json(command.command(), lent.memory());
    expect_sound(shape, max_shape_bytes);
    EXPECT_NE(shape.find("\"...\":true"), std::string::npos) << bytes;
  }
}

TEST(shape_bounds, broken_bytes_inside_a_command_end_its_shape) {
  tests::json_document whole{find_with(R"({"a":{"b":{"c":"text"}},"d":1})")};
  const auto bytes = whole.view().bytes();
  std::mt19937 random{20240607};  // NOLINT: the same bytes every time
  lent_scratch lent;
  int readable = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> broken{bytes.begin(), bytes.end()};
    for (int j = 0; j < 3; ++j) {
      broken[4 + random() % (broken.size() - 5)] = static_cast<std::byte>(random());
    }
    const auto view = wire::document_view::from(broken);
    const auto command = view ? wire::command_of(*view) : wire::wire_errc::bad_bson;
    if (!command) continue;
    ++readable;
    (void)shape_hash(*command, lent.memory());
    const std::string shape = shape_json(*command, lent.memory());
    EXPECT_LE(shape.size(), max_shape_bytes);
    EXPECT_TRUE(shape.starts_with('{') && shape.ends_with('}')) << shape;
  }
  EXPECT_GT(readable, 1000);
}

}  // namespace
}  // namespace scattergate::routing
