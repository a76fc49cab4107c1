#include <cstdint>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "routing/verdict.hpp"

namespace scattergate::routing {
namespace {

// Labels of `count` values starting at `first`: all different, all fit for a metric's label.
template <typename Enum>
void expect_distinct_labels(std::size_t first, std::size_t count) {
  std::set<std::string_view> seen;
  for (std::size_t i = first; i < first + count; ++i) {
    const std::string_view text = label(static_cast<Enum>(i));
    EXPECT_FALSE(text.empty()) << i;
    EXPECT_TRUE(seen.insert(text).second) << text;
  }
}

TEST(labels, every_value_but_none_has_its_own) {
  expect_distinct_labels<routing_class>(0, routing_class_count);
  expect_distinct_labels<bounds_kind>(1, 3);
  expect_distinct_labels<reason>(1, reason_count - 1);
  expect_distinct_labels<lint_kind>(1, lint_count - 1);
  expect_distinct_labels<refusal>(1, static_cast<std::size_t>(refusal::invalid_id_field));
}

TEST(labels, none_is_empty) {
  EXPECT_EQ(label(bounds_kind::none), "");
  EXPECT_EQ(label(reason::none), "");
  EXPECT_EQ(label(lint_kind::none), "");
  EXPECT_EQ(label(refusal::none), "");
}

TEST(labels, are_the_words_of_the_contract) {
  EXPECT_EQ(label(routing_class::scatter_gather), "scatter_gather");
  EXPECT_EQ(label(routing_class::not_routed), "not_routed");
  EXPECT_EQ(label(bounds_kind::narrowed), "narrowed");
  EXPECT_EQ(label(reason::missing_key), "missing_key");
  EXPECT_EQ(label(reason::by_nature), "by_nature");
  EXPECT_EQ(label(reason::cursor_not_seen), "cursor_not_seen");
  EXPECT_EQ(label(refusal::shard_key_not_found), "ShardKeyNotFound");
}

TEST(labels, a_value_outside_the_enum_has_an_empty_label) {
  EXPECT_EQ(label(static_cast<routing_class>(200)), "");
  EXPECT_EQ(label(static_cast<bounds_kind>(200)), "");
  EXPECT_EQ(label(static_cast<reason>(200)), "");
  EXPECT_EQ(label(static_cast<lint_kind>(200)), "");
  EXPECT_EQ(label(static_cast<refusal>(200)), "");
}

}  // namespace
}  // namespace scattergate::routing
