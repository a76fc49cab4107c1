#include "wire/bson.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"

namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

/// The keys that a walk yields, and whether it ended without an error.
std::pair<std::vector<std::string>, bool> walk(const bytes& whole) {
  std::vector<std::string> keys;
  document_reader reader{view(whole)};
  for (element found; reader.next(found);) keys.emplace_back(found.key());
  return {keys, !reader.is_corrupt()};
}

TEST(document_view, is_empty_by_default) {
  EXPECT_EQ(document_view{}.size_bytes(), 5U);
  EXPECT_TRUE(document_view{}.is_empty());
  EXPECT_EQ(count_fields(document_view{}), 0U);
}

TEST(document_view, refuses_what_is_not_framed_as_a_document) {
  struct {
    const char* what;
    bytes raw;
  } const cases[] = {
      {"nothing", {}},
      {"four bytes", little(std::int32_t{4})},
      {"length 0", joined(little(std::int32_t{0}), bytes(1))},
      {"length 4", joined(little(std::int32_t{4}), bytes(1))},
      {"length negative", joined(little(std::int32_t{-1}), bytes(1))},
      {"length one too many", joined(little(std::int32_t{6}), bytes(1))},
      {"no closing NUL", joined(little(std::int32_t{5}), little(std::int8_t{1}))},
  };
  for (const auto& [what, raw] : cases) {
    EXPECT_FALSE(document_view::from(raw)) << what;
    EXPECT_FALSE(document_view::first_of(raw)) << what;
  }
}

TEST(document_view, refuses_more_than_the_largest_document_of_mongodb) {
  for (const auto& [size, good] : {std::pair{limits::max_document_bytes, true},
                                   std::pair{limits::max_document_bytes + 1, false}}) {
    bytes raw(size);
    store_little(raw.data(), static_cast<std::int32_t>(size));
    EXPECT_EQ(document_view::from(raw).has_value(), good) << size;
  }
}

TEST(document_view, from_requires_the_document_alone_and_first_of_the_first) {
  const bytes raw = joined(document(int32_field("a", 1)), document());
  EXPECT_FALSE(document_view::from(raw));
  const auto first = document_view::first_of(raw);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size_bytes(), raw.size() - 5);
}

TEST(document_reader, yields_every_type_with_its_bytes) {
  const bytes object = document(int32_field("x", 1));
  struct {
    int type;
    bytes value;
  } const cases[] = {
      {0x01, little(1.5)},
      {0x02, string_value("text")},
      {0x03, object},
      {0x04, document()},
      {0x05, joined(little(std::int32_t{3}), little(std::int8_t{0}), text("abc"))},
      {0x05, joined(little(std::int32_t{3}), little(std::int8_t{2}), text("abc"))},
      {0x05, joined(little(std::int32_t{8}), little(std::int8_t{2}), little(99), little(99))},
      {0x06, {}},
      {0x07, bytes(12)},
      {0x08, little(std::int8_t{1})},
      {0x09, little(std::int64_t{1})},
      {0x0a, {}},
      {0x0b, joined(c_string("^a"), c_string("i"))},
      {0x0c, joined(string_value("db.c"), bytes(12))},
      {0x0d, string_value("code")},
      {0x0e, string_value("symbol")},
      {0x0f, joined(little(std::int32_t{4 + 4 + 2 + 5}), string_value("f"), document())},
      {0x10, little(std::int32_t{1})},
      {0x11, little(std::int64_t{1})},
      {0x12, little(std::int64_t{1})},
      {0x13, bytes(16)},
      {0x7f, {}},
      {0xff, {}},
  };
  for (const auto& [type, value] : cases) {
    const bytes raw = document(field(type, "key", value), field(0x0a, "", {}));
    document_reader reader{view(raw)};
    element found;
    ASSERT_TRUE(reader.next(found)) << type;
    EXPECT_EQ(found.key(), "key");
    EXPECT_EQ(static_cast<int>(found.type()), type);
    EXPECT_EQ(bytes(found.value().begin(), found.value().end()), value) << type;
    ASSERT_TRUE(reader.next(found)) << type;
    EXPECT_EQ(found.key(), "") << type;
    EXPECT_FALSE(reader.next(found)) << type;
    EXPECT_FALSE(reader.is_corrupt()) << type;
    EXPECT_FALSE(reader.next(found)) << "a further call stays at the end";
    EXPECT_FALSE(reader.is_corrupt()) << type;
  }
}

// libbson's traps (1.23), one by one.

TEST(document_reader, calls_an_end_mark_in_the_middle_corrupt) {
  const bytes raw = document(int32_field("a", 1), bytes(1), int32_field("b", 1));
  EXPECT_EQ(walk(raw), std::pair(std::vector<std::string>{"a"}, false));
}

TEST(document_reader, calls_a_second_closing_nul_corrupt) {
  EXPECT_FALSE(walk(document(int32_field("a", 1), bytes(1))).second);
  EXPECT_FALSE(walk(document(bytes(1))).second);
}

TEST(document_reader, calls_an_unknown_type_corrupt) {
  for (const int type : {0x14, 0x42, 0x7e, 0x80, 0xfe}) {
    const bytes raw = document(int32_field("a", 1), field(type, "b", bytes(16)));
    EXPECT_EQ(walk(raw), std::pair(std::vector<std::string>{"a"}, false)) << type;
  }
}

TEST(document_reader, calls_a_sub_document_shorter_than_its_frame_corrupt) {
  for (const int type : {0x03, 0x04}) {
    for (const std::int32_t length : {0, 1, 2, 3, 4, -1, 6, 1'000'000}) {
      const bytes raw = document(field(type, "a", joined(little(length), bytes(1))));
      EXPECT_EQ(walk(raw), std::pair(std::vector<std::string>{}, false)) << length;
    }
  }
}

TEST(document_reader, does_not_step_by_a_length_of_four_to_a_forged_field) {
  // By libbson alone, `a` would end before its own closing NUL and `b` follow it.
  const bytes raw = document(field(0x03, "a", little(std::int32_t{4})), int32_field("b", 1));
  EXPECT_EQ(walk(raw), std::pair(std::vector<std::string>{}, false));
}

TEST(document_reader, calls_a_sub_document_without_closing_nul_corrupt) {
  bytes inner = document();
  inner.back() = std::byte{1};
  EXPECT_FALSE(walk(document(field(0x03, "a", inner), int32_field("b", 1))).second);
}

TEST(document_reader, calls_a_boolean_of_two_corrupt) {
  EXPECT_FALSE(walk(document(field(0x08, "a", little(std::int8_t{2})))).second);
}

TEST(document_reader, calls_values_that_overrun_the_document_corrupt) {
  const std::int32_t huge[] = {-1, 0, 100, 0x7fffffff};
  for (const int type : {0x02, 0x0c, 0x0d, 0x0e, 0x0f}) {
    for (const std::int32_t length : huge) {
      const bytes raw = document(field(type, "a", joined(little(length), bytes(4))));
      EXPECT_FALSE(walk(raw).second) << type << ' ' << length;
    }
  }
  for (const int type : {0x01, 0x07, 0x09, 0x10, 0x11, 0x12, 0x13, 0x08}) {
    EXPECT_FALSE(walk(document(field(type, "a", {}))).second) << type;
  }
  EXPECT_FALSE(walk(document(field(0x0b, "a", c_string("^a")))).second) << "regex";
  EXPECT_FALSE(walk(document(text("\x10name"))).second) << "name";
}

TEST(document_reader, yields_both_of_two_fields_of_one_name) {
  const bytes raw = document(int32_field("a", 1), int32_field("a", 2));
  EXPECT_EQ(walk(raw), std::pair(std::vector<std::string>{"a", "a"}, true));
}

TEST(document_reader, keeps_embedded_nuls_and_broken_utf8_of_a_string) {
  const std::string content{"a\0b\xff", 4};
  const bytes raw = document(string_field("s", content));
  const auto found = find_field(view(raw), "s");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->as_string(), content);
}

TEST(document_reader, walks_a_million_levels_without_recursion) {
  const bytes raw = nested_document(1'000'000);
  std::size_t depth = 0;
  auto current = document_view::from(raw);
  ASSERT_TRUE(current);
  for (element inner; current && document_reader{*current}.next(inner); ++depth) {
    current = inner.as_container();
  }
  EXPECT_EQ(depth, 1'000'000U);
  EXPECT_EQ(count_fields(view(raw)), 1U);
}

TEST(find_field, gives_the_first_of_that_name) {
  const bytes raw = document(int32_field("a", 1), int32_field("b", 2), int32_field("b", 3));
  ASSERT_TRUE(find_field(view(raw), "b"));
  EXPECT_EQ(find_field(view(raw), "b")->as_int64(), 2);
  EXPECT_FALSE(find_field(view(raw), "c"));
  EXPECT_FALSE(find_field(view(raw), ""));
}

TEST(find_field, finds_nothing_behind_a_broken_element) {
  const bytes raw = document(field(0x42, "x", {}), int32_field("a", 1));
  EXPECT_FALSE(find_field(view(raw), "a"));
}

TEST(count_fields, distinguishes_a_corrupt_document_from_an_empty_one) {
  EXPECT_EQ(count_fields(view(document(int32_field("a", 1), int32_field("a", 1)))), 2U);
  EXPECT_EQ(count_fields(view(document(bytes(1)))), std::nullopt);
}

TEST(inspect_budget, is_spent_node_by_node) {
  inspect_budget budget{2, 1};
  EXPECT_TRUE(budget.spend_node());
  EXPECT_TRUE(budget.spend_node());
  EXPECT_FALSE(budget.spend_node());
  EXPECT_FALSE(budget.spend_node());
}

TEST(inspect_budget, gives_a_level_back_on_leaving) {
  inspect_budget budget{1, 1};
  EXPECT_TRUE(budget.enter());
  EXPECT_FALSE(budget.enter());
  budget.leave();
  EXPECT_TRUE(budget.enter());
}

}  // namespace
}  // namespace scattergate::wire
