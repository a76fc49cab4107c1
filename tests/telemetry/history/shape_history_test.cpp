#include "telemetry/history/shape_history.hpp"

#include <deque>
#include <limits>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "telemetry/history/history_text.hpp"
#include "tests/telemetry/history/history_support.hpp"

namespace scattergate::telemetry {
namespace {

namespace json = boost::json;
using std::chrono::hours;
using std::chrono::minutes;
using tests::noon;

/// Both histories, in the same minute, as a digest has them.
class shape_history_test : public ::testing::Test {
 protected:
  shape_history_test() { go_to(noon); }

  void go_to(history::wall_time now) {
    now_ = now;
    all_.advance(now);
    shapes_.advance(all_.minute());
  }
  const digest::row& row(std::uint64_t hash, const std::string& collection = "orders") {
    rows_.emplace_back();
    rows_.back().database = "shop";
    rows_.back().collection = collection;
    rows_.back().command = "find";
    rows_.back().shape_hash = hash;
    return rows_.back();
  }
  void count(const digest::row& of, std::uint64_t commands) {
    shapes_.make_room_for(of);
    shapes_.count(of, commands, now_);
  }
  [[nodiscard]] json::array shown() const {
    const std::string text = history_json(all_, shapes_, now_);
    return json::parse(text).at("shapes").as_array();
  }

  history::wall_time now_;
  history all_;
  shape_history shapes_;
  std::deque<digest::row> rows_;  // stay where they are
};

TEST_F(shape_history_test, has_the_steps_of_the_history_the_oldest_first) {
  const digest::row& orders = row(0x9f0c);
  count(orders, 5);
  go_to(noon + minutes{2});
  count(orders, 7);
  const json::array shapes = shown();
  ASSERT_EQ(shapes.size(), 1U);
  const json::object& one = shapes[0].as_object();
  EXPECT_EQ(one.at("shapeHash"), "0000000000009f0c");
  EXPECT_EQ(one.at("ns"), "shop.orders");
  EXPECT_EQ(one.at("command"), "find");
  const json::array& steps = one.at("minutes").as_array();
  ASSERT_EQ(steps.size(), 60U);
  EXPECT_EQ(steps[57], 5);
  EXPECT_EQ(steps[58], 0);
  EXPECT_EQ(steps[59], 7);
  const json::array& tens = one.at("tenMinutes").as_array();
  ASSERT_EQ(tens.size(), 144U);
  EXPECT_EQ(tens[143], 12);
}

TEST_F(shape_history_test, forgets_what_is_older_than_its_steps) {
  count(row(1), 5);
  go_to(noon + hours{1});
  EXPECT_EQ(shown()[0].at("minutes"), json::array(60, 0));
  go_to(noon + hours{25});
  EXPECT_EQ(shown()[0].at("tenMinutes"), json::array(144, 0));
}

TEST_F(shape_history_test, begins_anew_where_the_clock_was_set_back_by_days) {
  count(row(1), 5);
  go_to(noon - hours{100});
  EXPECT_EQ(shown()[0].at("tenMinutes"), json::array(144, 0));
}

TEST_F(shape_history_test, keeps_the_busiest) {
  for (std::uint64_t hash = 1; hash <= shape_history::most; ++hash)
    count(row(hash), 100 + hash);
  const digest::row& quiet = row(1'000);
  count(quiet, 101);
  EXPECT_EQ(shown().size(), shape_history::most);
  EXPECT_EQ(shown()[0].at("shapeHash"), "00000000000000c8");
  count(quiet, 200);  // the busiest by now, but its first commands aren't there any more
  EXPECT_EQ(shown()[0].at("shapeHash"), "00000000000003e8");
  EXPECT_EQ(shown()[0].at("minutes").as_array().back(), 200);
  EXPECT_EQ(shown().size(), shape_history::most);
}

TEST_F(shape_history_test, equally_busy_ones_keep_their_places) {
  for (std::uint64_t hash = 1; hash <= shape_history::most; ++hash) count(row(hash), 100);
  count(row(1'000), 105);
  for (const json::value& each : shown()) EXPECT_NE(each.at("shapeHash"), "00000000000003e8");
}

TEST_F(shape_history_test, what_is_busy_today_counts_more_than_what_was_days_ago) {
  for (std::uint64_t hash = 1; hash <= shape_history::most; ++hash) count(row(hash), 1'000);
  go_to(noon + hours{24 * 7});
  count(row(1'000), 10);
  EXPECT_EQ(shown()[0].at("shapeHash"), "00000000000003e8");
}

TEST_F(shape_history_test, forgets_a_row_that_is_gone) {
  const digest::row& first = row(1);
  const digest::row& second = row(2);
  count(first, 5);
  count(second, 6);
  shapes_.forget(first);
  shapes_.forget(first);
  shapes_.forget(row(3));
  count(second, 1);
  ASSERT_EQ(shown().size(), 1U);
  EXPECT_EQ(shown()[0].at("minutes").as_array().back(), 7);
}

TEST_F(shape_history_test, takes_a_mebibyte_at_most_as_text) {
  const std::string name(1'000, '\x01');  // six times as long as JSON
  for (std::uint64_t hash = 1; hash <= shape_history::most; ++hash) {
    const digest::row& one = row(hash, name);
    for (int step = 0; step < 3; ++step) count(one, std::numeric_limits<std::uint32_t>::max());
  }
  const std::string empty = history_json(all_, shape_history{}, now_);
  const std::string text = history_json(all_, shapes_, now_);
  EXPECT_GT(text.size() - empty.size(), shape_history::max_bytes / 2);
  EXPECT_LE(text.size() - empty.size(), shape_history::max_bytes);
  EXPECT_TRUE(json::parse(text).is_object());
}

}  // namespace
}  // namespace scattergate::telemetry
