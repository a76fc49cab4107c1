#include "config/options/rule_match.hpp"

#include <gtest/gtest.h>

#include "config/options/rule.hpp"

namespace scattergate::config {
namespace {

/// A match in which one condition is given, and what that condition is.
struct one_condition {
  rule_match match;
  const char* key;
  condition_input input;
};

std::vector<one_condition> each_condition() {
  return {
      {{.name_space = "shop.*"}, "namespace", condition_input::name_space},
      {{.command = routing::command_kind::find}, "command", condition_input::command},
      {{.routing = routing::routing_class::unknown}, "routing", condition_input::judgement},
      {{.missing = {"customer"}}, "missing", condition_input::judgement},
      {{.shape = 0xab}, "shape", condition_input::shape},
      {{.app = "web"}, "app", condition_input::client_name},
      {{.user = "ada"}, "user", condition_input::client_name},
      {{.comment = "cart*"}, "comment", condition_input::comment},
      {{.remote = {*net::network::parse("10.0.0.0/8")}},
       "remote",
       condition_input::client_address},
      {{.fanout = fanout_range{4, fanout_range::any}}, "fanout", condition_input::judgement},
      {{.query_shapes = {std::string(64, 'A')}}, "queryShapeHash", condition_input::shape},
  };
}

TEST(match_conditions, are_all_in_this_test) {
  ASSERT_EQ(each_condition().size(), match_keys().size());
  for (std::size_t i = 0; i < match_keys().size(); ++i) {
    EXPECT_EQ(each_condition()[i].key, match_keys()[i]);
  }
}

TEST(match_conditions, say_what_they_ask_about) {
  for (const one_condition& each : each_condition()) {
    for (std::size_t i = 0; i < condition_input_count; ++i) {
      const auto what = static_cast<condition_input>(i);
      EXPECT_EQ(depends_on(each.match, what), what == each.input) << each.key << " " << i;
    }
    EXPECT_FALSE(depends_on(rule_match{}, each.input)) << each.key;
  }
}

TEST(match_conditions, are_written_under_their_keys) {
  EXPECT_EQ(show_match({}), "{}");
  for (const one_condition& each : each_condition()) {
    const std::string text = show_match(each.match);
    EXPECT_TRUE(text.starts_with("{" + std::string{each.key} + ": ")) << text;
    EXPECT_EQ(text.find(", "), text.npos) << text;
  }
}

TEST(match_conditions, cover_and_meet_what_is_the_same_and_are_covered_by_nothing_given) {
  for (const one_condition& each : each_condition()) {
    glob_budget budget;
    EXPECT_TRUE(covers(each.match, each.match, budget)) << each.key;
    EXPECT_TRUE(overlap(each.match, each.match, budget)) << each.key;
    EXPECT_TRUE(covers({}, each.match, budget)) << each.key;
    EXPECT_FALSE(covers(each.match, {}, budget)) << each.key;
    EXPECT_TRUE(overlap(each.match, {}, budget)) << each.key;
    for (const one_condition& other : each_condition()) {
      if (other.key == each.key) continue;
      EXPECT_FALSE(covers(each.match, other.match, budget)) << each.key << " " << other.key;
      EXPECT_TRUE(overlap(each.match, other.match, budget)) << each.key << " " << other.key;
    }
  }
}

/// A message of which everything is known, and nothing matches.
class message_of_another final : public shape_names {
 public:
  [[nodiscard]] known_parts parts() {
    return {&from_, &command_, &name_space_, &judged_, &comment_, this};
  }

 private:
  std::uint64_t find_hash() override { return 1; }
  std::string find_query_shape_hash() override { return std::string(64, 'B'); }

  sender from_{"batch", "eve", nullptr, {}};
  routing::command_kind command_ = routing::command_kind::count;
  namespace_text name_space_{{"app", "items"}};
  routing::verdict judged_ = [] {
    routing::verdict made;
    made.routing = routing::routing_class::single_shard;
    return made;
  }();
  std::string_view comment_ = "checkout";
};

TEST(match_conditions, refuse_what_is_known_not_to_match_and_nothing_else) {
  message_of_another message;
  EXPECT_TRUE(could_match({}, message.parts()));
  for (const one_condition& each : each_condition()) {
    EXPECT_FALSE(could_match(each.match, message.parts())) << each.key;
    EXPECT_TRUE(could_match(each.match, {})) << each.key;
  }
}

TEST(match_conditions, know_that_only_finds_have_mongodbs_hash_of_a_shape) {
  const rule_match hashed{.query_shapes = {std::string(64, 'A')}};
  for (const auto kind : {routing::command_kind::find, routing::command_kind::count}) {
    EXPECT_EQ(could_match(hashed, {.command = &kind}), kind == routing::command_kind::find);
  }
  EXPECT_EQ(with_implied(hashed).command.value, routing::command_kind::find);
  EXPECT_EQ(with_implied({}).command.value, std::nullopt);
}

}  // namespace
}  // namespace scattergate::config
