#include "telemetry/admin/admin_guests.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scattergate::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class admin_guests_test : public ::testing::Test {
 protected:
  admin_guests::handle add(std::string name, std::string peer = "a") {
    return guests_.add(std::move(peer), [this, name] { cut_.push_back(name); });
  }
  static std::shared_ptr<const admin_reply> of_bytes(std::size_t bytes) {
    return std::make_shared<const admin_reply>(
        admin_reply{.status = 200, .body = std::string(bytes, 'x')});
  }

  std::vector<std::string> cut_;
  admin_guests guests_{3, 100};
};

TEST_F(admin_guests_test, the_oldest_makes_room) {
  for (const char* name : {"1", "2", "3"}) static_cast<void>(add(name));
  EXPECT_THAT(cut_, IsEmpty());
  static_cast<void>(add("4"));
  static_cast<void>(add("5"));
  EXPECT_THAT(cut_, ElementsAre("1", "2"));
  EXPECT_EQ(guests_.size(), 3);
}

TEST_F(admin_guests_test, the_silent_go_first_then_the_idle_then_those_being_answered) {
  const auto answering = add("answering");
  guests_.asked(answering);
  const auto idle = add("idle");
  guests_.asked(idle);
  guests_.answered(idle);
  static_cast<void>(add("silent"));
  guests_.asked(add("busy"));
  guests_.asked(add("busier"));
  guests_.asked(add("busiest"));
  EXPECT_THAT(cut_, ElementsAre("silent", "idle", "answering"));
}

TEST_F(admin_guests_test, who_has_the_most_gives_first_whatever_he_does) {
  static_cast<void>(add("another's", "b"));
  guests_.asked(add("1"));
  guests_.asked(add("2"));
  static_cast<void>(add("a third's", "c"));
  EXPECT_THAT(cut_, ElementsAre("1"));
}

TEST_F(admin_guests_test, one_that_has_been_cut_gives_its_place_once) {
  const auto first = add("1");
  EXPECT_TRUE(guests_.make_room());
  EXPECT_TRUE(first->is_cut);
  EXPECT_FALSE(guests_.make_room());
  guests_.remove(first);
  EXPECT_EQ(guests_.size(), 0);
}

TEST_F(admin_guests_test, who_holds_the_oldest_answers_is_cut_beyond_their_bytes) {
  const auto first = add("1");
  const auto second = add("2");
  const auto third = add("3");
  guests_.answer(first, of_bytes(60));
  guests_.answer(second, of_bytes(60));
  EXPECT_THAT(cut_, IsEmpty());  // the newest doesn't count
  guests_.answer(third, of_bytes(500));
  EXPECT_THAT(cut_, ElementsAre("1"));
  EXPECT_EQ(first->answer, nullptr);
  guests_.answered(third);
  guests_.answer(third, of_bytes(10));
  EXPECT_THAT(cut_, ElementsAre("1"));
}

TEST_F(admin_guests_test, the_same_answer_counts_once) {
  const auto shared = of_bytes(90);
  const auto first = add("1");
  const auto second = add("2");
  guests_.answer(first, shared);
  guests_.answer(second, shared);
  guests_.answer(add("3"), of_bytes(90));
  EXPECT_THAT(cut_, IsEmpty());
}

}  // namespace
}  // namespace scattergate::telemetry
