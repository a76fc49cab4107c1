#include "fleet/stored_ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "digest/stored.hpp"
#include "tests/digest/random_table.hpp"
#include "tests/support/problem_in.hpp"

namespace scattergate::fleet {
namespace {

using testing::HasSubstr;

stored_ledger sample() {
  stored_ledger made{"6f0e-uuid", 12, std::nullopt,
                     digest::stored_text(digest::random_table(1)),
                     digest::wall_time{std::chrono::seconds{1'780'000'000}}};
  made.frozen = frozen_delta{13,
                             "00000000deadbeef",
                             8,
                             digest::wall_time{std::chrono::seconds{1'790'000'000}},
                             digest::wall_time{std::chrono::seconds{1'800'000'000}},
                             digest::stored_text(digest::random_table(2)),
                             99};
  return made;
}

TEST(stored_ledger, is_read_as_it_was_written) {
  stored_ledger of = sample();
  const auto whole = read_stored_ledger(stored_text(of));
  ASSERT_TRUE(whole) << to_string(whole.error());
  EXPECT_EQ(*whole, of);
  of.frozen.reset();
  of.rest.clear();
  const auto least = read_stored_ledger(stored_text(of));
  ASSERT_TRUE(least);
  EXPECT_EQ(*least, of);
}

TEST(stored_ledger, that_is_cut_or_changed_is_a_problem) {
  const std::string text = stored_text(sample());
  for (std::size_t end = 0; end < text.size(); end += 1 + text.size() / 100) {
    EXPECT_FALSE(read_stored_ledger(text.substr(0, end))) << end;
  }
  const std::size_t head = text.find('\n');
  for (std::size_t at = 0; at < head; ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(read_stored_ledger(changed)) << at;
  }
  EXPECT_FALSE(read_stored_ledger(text + "{}\n"));
}

TEST(stored_ledger, of_a_newer_version_says_so) {
  EXPECT_THAT(tests::problem_in(
                  read_stored_ledger("{\"type\":\"scattergate.fleet\",\"schemaVersion\":2}\n")),
              HasSubstr("newer version"));
}

TEST(random_uuid, is_of_version_4_and_another_each_time) {
  const std::string one = random_uuid();
  EXPECT_THAT(
      one, testing::MatchesRegex("[0-9a-f]+-[0-9a-f]+-4[0-9a-f]+-[89ab][0-9a-f]+-[0-9a-f]+"));
  EXPECT_EQ(one.size(), 36U);
  EXPECT_NE(random_uuid(), one);
}

}  // namespace
}  // namespace scattergate::fleet
