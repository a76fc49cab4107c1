#include "digest/sketch/stored_sketches.hpp"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "digest/stored.hpp"
#include "tests/digest/random_table.hpp"
#include "tests/digest/sketch/random_sketches.hpp"

namespace scattergate::digest {
namespace {

using testing::HasSubstr;

TEST(stored_sketches, are_read_as_they_were_written) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const sketch_table written = random_sketches(seed);
    const std::string text = stored_sketches(written);
    const auto back = read_stored_sketches(text);
    ASSERT_TRUE(back) << to_string(back.error());
    EXPECT_EQ(stored_sketches(*back), text) << seed;
    EXPECT_EQ(back->salt_id(), written.salt_id());
  }
  EXPECT_EQ(stored_sketches(sketch_table{}), "");
  EXPECT_TRUE(read_stored_sketches("")->is_empty());
}

TEST(stored_sketches, added_are_what_adding_gives_that_were_never_stored) {
  const sketch_table one = random_sketches(1);
  const sketch_table other = random_sketches(2);
  sketch_table here;
  ASSERT_TRUE(here.add(one));
  ASSERT_TRUE(here.add(other));
  sketch_table stored;
  ASSERT_TRUE(stored.add(*read_stored_sketches(stored_sketches(one))));
  ASSERT_TRUE(stored.add(*read_stored_sketches(stored_sketches(other))));
  EXPECT_EQ(stored_sketches(stored), stored_sketches(here));
}

TEST(stored_sketches, under_another_salt_are_not_added) {
  sketch_table here = random_sketches(1);
  const std::string before = stored_sketches(here);
  const auto added = here.add(sketch_table{"ffffffffffffffff"});
  ASSERT_FALSE(added);
  EXPECT_THAT(to_string(added.error()), HasSubstr("ffffffffffffffff"));
  EXPECT_EQ(stored_sketches(here), before);
}

TEST(stored_sketches, stand_behind_a_digest_whose_readers_leave_them_alone) {
  const table rows = random_table(3);
  const std::string text = stored_text(rows) + stored_sketches(random_sketches(3)) +
                           "{\"type\":\"scattergate.history\",\"schemaVersion\":1}\n";
  EXPECT_FALSE(read_stored(text, 1'000).end);
  const auto back = read_stored_sketches(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(stored_sketches(*back), stored_sketches(random_sketches(3)));
}

TEST(stored_sketches, that_were_cut_or_spoilt_are_noticed) {
  const std::string text = stored_sketches(random_sketches(4));
  for (std::size_t size = 40; size < text.size(); size += text.size() / 50) {
    EXPECT_FALSE(read_stored_sketches(text.substr(0, size))) << size;
  }
  std::mt19937_64 random{4};
  for (int i = 0; i < 50; ++i) {
    std::string spoilt = text;
    spoilt[random() % spoilt.size()] ^= 1;
    const auto back = read_stored_sketches(spoilt);
    EXPECT_TRUE(!back || back->is_empty());  // of another type
  }
}

TEST(stored_sketches, of_a_newer_version_are_passed_over_and_said_so) {
  std::string text = stored_sketches(random_sketches(5));
  text.replace(text.find("\"schemaVersion\":1"), 17, "\"schemaVersion\":2");
  const auto back = read_stored_sketches(text);
  ASSERT_FALSE(back);
  EXPECT_THAT(to_string(back.error()), HasSubstr("newer version"));
}

TEST(stored_sketches, members_that_are_nonsense_are_noticed) {
  const auto with = [](std::string_view line) {
    return read_stored_sketches(
        "{\"type\":\"scattergate.sketches\",\"schemaVersion\":1,\"salt\":\"0011223344556677\"}"
        "\n" +
        std::string{line} + "\n");
  };
  const std::string begin = R"({"database":"a","collection":"b","requests":1,)";
  for (const std::string& line :
       {std::string{"[]"}, std::string{"{}"}, begin + R"("fields":1})",
        begin + R"("fields":[1]})", begin + R"("fields":[{"path":"a"}]})",
        begin + R"("fields":[{"path":"a","sketch":{}}]})",
        begin + R"("requests":99999999999999999})",
        std::string{R"({"database":"a","requests":1})"}}) {
    const auto back = with(line);
    ASSERT_FALSE(back) << line;
    EXPECT_THAT(to_string(back.error()), HasSubstr("spoilt")) << line;
  }
}

TEST(stored_sketches, that_find_no_room_count_as_left_out) {
  sketch_table all = random_sketches(6);
  for (std::uint64_t seed = 7; all.ranked().size() < 3; ++seed) {
    ASSERT_TRUE(all.add(random_sketches(seed)));
  }
  const std::size_t room = stored_sketches(all).size() * 2 / 3;
  const std::string text = stored_sketches(all, room);
  EXPECT_LE(text.size(), room);
  const auto back = read_stored_sketches(text);
  ASSERT_TRUE(back);
  EXPECT_LT(back->ranked().size(), all.ranked().size());
  std::uint64_t requests = back->left_out();
  for (const auto* const one : back->ranked()) requests += one->requests();
  std::uint64_t before = all.left_out();
  for (const auto* const one : all.ranked()) before += one->requests();
  EXPECT_EQ(requests, before);
}

}  // namespace
}  // namespace scattergate::digest
