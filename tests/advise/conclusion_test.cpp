#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/advice_words.hpp"

namespace scattergate::advise {
namespace {

candidate key(const char* field, key_origin from, double shards_per_command) {
  candidate made;
  made.key = {{field}};
  made.from = from;
  made.all.commands = 100;
  made.all.shard_requests = 100 * shards_per_command;
  made.all.values.requests = 100;
  made.all.values.common = {{{}, 1}};
  made.worth = key_score_of(made.all, false, 1, 3);
  made.is_safe = true;
  return made;
}

candidate hot(candidate of) {
  of.all.values.common = {{{}, 40}};
  of.worth = key_score_of(of.all, false, 1, 3);
  return of;
}

candidate unsafe(candidate of) {
  of.is_safe = false;
  of.not_safe = {{"refused", "it is bad"}, {"unknown", "it is unknown"}};
  return of;
}

std::string concluded(std::vector<candidate> ranked) {
  collection_advice of;
  of.candidates = std::move(ranked);
  return conclusion_text(of);
}

const auto present_key = [](double shards) { return key("p", key_origin::present, shards); };
const auto proposed_key = [](double shards) { return key("a", key_origin::proposed, shards); };

TEST(conclusion, recommends_a_safe_key_with_its_gain_and_its_price) {
  EXPECT_EQ(
      concluded({proposed_key(1), present_key(1.5)}),
      "Choose {a: 1}: it is safe, and better than the present key (1.00 shards per command "
      "instead of 1.50).");
  EXPECT_EQ(
      concluded({proposed_key(1.2), hot(present_key(1))}),
      "Choose {a: 1}: it is safe, and better than the present key (1.0 % of the requests for "
      "its most common value instead of 40.0 %). Its price: 1.20 shards per command "
      "instead of 1.00.");
  EXPECT_EQ(concluded({proposed_key(1)}),
            "Choose {a: 1}: it is the best key, and safe (1.00 shards per command).");
}

TEST(conclusion, keeps_a_safe_present_key) {
  EXPECT_EQ(concluded({present_key(1), unsafe(proposed_key(2))}),
            "Keep {p: 1}: it is safe, and no safe key is better.");
}

TEST(conclusion, names_the_best_safe_key_behind_one_that_isn_t) {
  EXPECT_EQ(
      concluded({unsafe(proposed_key(1)), present_key(1.5)}),
      "Keep {p: 1}: it is safe, and no safe key is better. {a: 1} ranks first (1.00 shards per "
      "command instead of 1.50), but it is bad.");
}

TEST(conclusion, says_why_no_key_is_safe) {
  EXPECT_EQ(concluded({unsafe(present_key(1)), unsafe(proposed_key(2))}),
            "No key is safe: {p: 1}, the present key, ranks first, but it is bad.");
  EXPECT_EQ(
      concluded({unsafe(proposed_key(1))}),
      "No key is safe. If the collection must be sharded, {a: 1} ranks first (1.00 shards "
      "per command), but it is bad.");
  EXPECT_EQ(concluded({}), "No filter pins a field by equality, and no key was given.");
}

TEST(conclusion, says_that_a_hot_key_is_first_for_lack_of_others) {
  candidate forbidding = unsafe(proposed_key(1));
  forbidding.worth.forbids_unique = true;
  EXPECT_EQ(concluded({unsafe(hot(present_key(1))), forbidding}),
            "No key is safe: {p: 1}, the present key, ranks first only because each better key "
            "forbids a unique index, but it is bad.");
}

TEST(conclusion, counts_the_commands_that_would_scatter_among_the_price) {
  candidate of = proposed_key(1);
  of.new_scatters = 1234;
  EXPECT_EQ(losses_text(of, present_key(1.5)), "1,234 more commands scatter to all shards");
}

}  // namespace
}  // namespace scattergate::advise
