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
  explicit admin_guests_test(std::size_t max_guests = 3) : guests_(max_guests) {}

  admin_guests::handle add(std::string name, std::string peer = "a") {
    return guests_.add(std::move(peer), [this, name] { cut_.push_back(name); });
  }
  static std::shared_ptr<const admin_reply> of_bytes(std::size_t bytes) {
    return std::make_shared<const admin_reply>(
        admin_reply{.status = 200, .body = std::string(bytes, 'x')});
  }

  std::vector<std::string> cut_;
  admin_guests guests_;
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
  guests_.request_received(answering);
  const auto idle = add("idle");
  guests_.request_received(idle);
  guests_.reply_sent(idle);
  static_cast<void>(add("silent"));
  guests_.request_received(add("busy"));
  guests_.request_received(add("busier"));
  guests_.request_received(add("busiest"));
  EXPECT_THAT(cut_, ElementsAre("silent", "idle", "answering"));
}

TEST_F(admin_guests_test, who_has_the_most_gives_first_whatever_he_does) {
  static_cast<void>(add("another's", "b"));
  guests_.request_received(add("1"));
  guests_.request_received(add("2"));
  static_cast<void>(add("a third's", "c"));
  EXPECT_THAT(cut_, ElementsAre("1"));
}

TEST_F(admin_guests_test, one_that_has_been_cut_gives_its_place_once) {
  const auto first = add("1");
  EXPECT_TRUE(guests_.make_room());
  EXPECT_TRUE(first->is_closed);
  EXPECT_FALSE(guests_.make_room());
  guests_.remove(first);
  EXPECT_EQ(guests_.size(), 0);
}

TEST_F(admin_guests_test, who_holds_the_oldest_answer_is_the_slowest) {
  const auto first = add("1");
  const auto second = add("2");
  static_cast<void>(add("3"));
  guests_.close_slowest();
  EXPECT_THAT(cut_, IsEmpty());
  guests_.reply_begun(second, of_bytes(60));
  guests_.reply_begun(first, of_bytes(60));
  guests_.reply_sent(first);
  guests_.reply_begun(first, of_bytes(60));
  guests_.close_slowest();
  EXPECT_THAT(cut_, ElementsAre("2"));
  EXPECT_EQ(second->answer, nullptr);
  guests_.close_slowest();
  EXPECT_THAT(cut_, ElementsAre("2", "1"));
  EXPECT_EQ(guests_.closed_count(), 2U);
}

using enum admin_guests::stream;

class admin_listeners_test : public admin_guests_test {
 protected:
  admin_listeners_test() : admin_guests_test(64) {}
  bool listen(const std::string& name, const std::string& peer, admin_guests::stream to) {
    const auto who = add(name, peer);
    if (guests_.listen(who, to)) return true;
    guests_.remove(who);
    return false;
  }
};

TEST_F(admin_listeners_test, one_peer_does_not_keep_all_places) {
  for (std::size_t i = 0; i < admin_guests::max_listeners; ++i) {
    EXPECT_TRUE(listen("a" + std::to_string(i), "a", events));
  }
  EXPECT_FALSE(listen("a16", "a", events));
  EXPECT_THAT(cut_, IsEmpty());
  EXPECT_TRUE(listen("b0", "b", events));
  EXPECT_TRUE(listen("c0", "c", tap));
  EXPECT_THAT(cut_, ElementsAre("a15", "a14"));
}

TEST_F(admin_listeners_test, peers_that_share_the_places_evenly_keep_them) {
  for (const char* peer : {"a", "b", "c", "d"}) EXPECT_TRUE(listen(peer, peer, tap));
  EXPECT_FALSE(listen("e", "e", tap));
  EXPECT_FALSE(listen("a2", "a", tap));
  EXPECT_TRUE(listen("e", "e", events));
  EXPECT_THAT(cut_, IsEmpty());
}

TEST_F(admin_listeners_test, the_taps_places_are_shared_among_those_who_listen_to_it) {
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(listen("e", "a", events));
  for (const char* name : {"t1", "t2"}) EXPECT_TRUE(listen(name, "a", tap));
  for (const char* name : {"t3", "t4"}) EXPECT_TRUE(listen(name, "b", tap));
  EXPECT_FALSE(listen("t5", "b", tap));
  EXPECT_TRUE(listen("t6", "c", tap));
  EXPECT_EQ(cut_.size(), 1U);
}

TEST_F(admin_listeners_test, who_has_left_gives_its_place) {
  bool has_left = false;
  for (int i = 0; i < 4; ++i) {
    const auto who = guests_.add(
        "a", [&, i] { cut_.push_back(std::to_string(i)); },
        [&, i] { return has_left && i == 1; });
    EXPECT_TRUE(guests_.listen(who, tap));
  }
  EXPECT_FALSE(listen("late", "a", tap));
  has_left = true;
  EXPECT_TRUE(listen("later", "a", tap));
  EXPECT_THAT(cut_, ElementsAre("1"));
}

}  // namespace
}  // namespace scattergate::telemetry
