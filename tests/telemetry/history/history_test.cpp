#include "telemetry/history/history.hpp"

#include <limits>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/history/history_text.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/telemetry/history/history_support.hpp"

namespace scattergate::telemetry {
namespace {

namespace json = boost::json;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using tests::noon;
using tests::scattered;

command_counts counts_of(std::uint64_t scatters) {
  command_counts made;
  made.of[scattered] = scatters;
  return made;
}

/// As a table of collections does.
void add(history& to, history::wall_time now, const std::vector<history_sample>& samples,
         const command_counts& others) {
  to.advance(now);
  to.add_others(others);
  for (const history_sample& each : samples) to.add(each);
}

history_sample sample_of(std::string_view collection, std::uint64_t scatters) {
  return {"shop", collection, counts_of(scatters), static_cast<double>(scatters)};
}

json::object json_of(const history& of) {
  return json::parse(history_json(of, {}, noon)).as_object();
}

const json::object& collection_in(const json::object& all, std::string_view name) {
  static const json::object none;
  for (const json::value& each : all.at("collections").as_array()) {
    if (each.at("collection").as_string() == name) return each.as_object();
  }
  return none;
}

std::int64_t sum_of(const json::value& steps) {
  std::int64_t sum = 0;
  const auto* const found = steps.as_object().if_contains("scatter_gather");
  if (found == nullptr) return 0;
  for (const json::value& each : found->as_array()) sum += each.as_int64();
  return sum;
}

TEST(history, has_a_step_for_each_minute_of_an_hour_and_for_ten_of_a_day) {
  history past;
  for (int minute = 0; minute < 24 * 60; ++minute) {
    add(past, noon + minutes{minute}, {sample_of("orders", 1)}, {});
  }
  const json::object all = json_of(past);
  const json::object& orders = collection_in(all, "orders");
  EXPECT_EQ(sum_of(orders.at("minutes")), 60);
  EXPECT_EQ(sum_of(orders.at("tenMinutes")), 24 * 60);
  EXPECT_EQ(all.at("minutes").at("count").as_int64(), 60);
  EXPECT_EQ(all.at("tenMinutes").at("count").as_int64(), 144);
}

TEST(history, reports_the_oldest_step_first_and_ends_with_the_newest) {
  history past;
  add(past, noon, {sample_of("orders", 5)}, {});
  add(past, noon + minutes{2}, {sample_of("orders", 7)}, {});
  const json::object all = json_of(past);
  const auto& steps =
      collection_in(all, "orders").at("minutes").at("scatter_gather").as_array();
  ASSERT_EQ(steps.size(), 60U);
  EXPECT_EQ(steps[57].as_int64(), 5);
  EXPECT_EQ(steps[58].as_int64(), 0);
  EXPECT_EQ(steps[59].as_int64(), 7);
  EXPECT_EQ(all.at("minutes").at("end").as_string(), "2026-01-05T08:03:00.000Z");
}

TEST(history, forgets_what_is_older_than_a_day) {
  history past;
  add(past, noon, {sample_of("orders", 5)}, counts_of(3));
  add(past, noon + hours{25}, {}, {});
  const json::object all = json_of(past);
  EXPECT_EQ(sum_of(collection_in(all, "orders").at("tenMinutes")), 0);
  EXPECT_EQ(sum_of(all.at("others").at("tenMinutes")), 0);
}

TEST(history, begins_anew_where_the_clock_was_set_back_by_days) {
  history past;
  add(past, noon + hours{100}, {sample_of("orders", 5)}, {});
  add(past, noon, {sample_of("orders", 2)}, {});
  add(past, noon + minutes{1}, {sample_of("orders", 2)}, {});
  EXPECT_EQ(sum_of(collection_in(json_of(past), "orders").at("minutes")), 4);
}

TEST(history, gives_the_place_of_the_least_busy_to_who_is_busier) {
  history past;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < history::most_collections; ++i) {
    names.push_back("c" + std::to_string(i));
  }
  std::vector<history_sample> samples;
  for (std::size_t i = 0; i < names.size(); ++i) samples.push_back(sample_of(names[i], i + 10));
  add(past, noon, samples, {});
  add(past, noon + minutes{1}, {sample_of("quiet", 9)}, {});
  add(past, noon + minutes{1}, {sample_of("busy", 11)}, {});
  const json::object all = json_of(past);
  EXPECT_EQ(all.at("collections").as_array().size(), history::most_collections);
  EXPECT_TRUE(collection_in(all, "quiet").empty());
  EXPECT_TRUE(collection_in(all, "c0").empty());
  EXPECT_EQ(sum_of(collection_in(all, "busy").at("minutes")), 11);
  EXPECT_EQ(sum_of(all.at("others").at("minutes")), 9 + 10);
}

/// As much as there can ever be.
history full() {
  history past;
  command_counts most;
  most.of.fill(std::numeric_limits<std::uint32_t>::max());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < history::most_collections; ++i) {
    names.push_back(std::string(250, 'x') + std::to_string(i));
  }
  for (int minute = 0; minute < 24 * 60; ++minute) {
    std::vector<history_sample> samples;
    for (const std::string& name : names) samples.push_back({"shop", name, most, 1});
    add(past, noon + minutes{minute}, samples, most);
  }
  return past;
}

TEST(history, takes_four_mebibytes_at_most_in_memory_and_as_text) {
  const history past = full();
  EXPECT_LE((history::most_collections + 1) *
                (sizeof(history::series) + sizeof(history::collection) + 512),
            4UL << 20);
  EXPECT_LE(history_json(past, {}, noon).size(), 4UL << 20);
  EXPECT_LE(stored_history(past).size(), 4UL << 20);
  history again;
  EXPECT_TRUE(read_stored_history(stored_history(past), again));
}

TEST(history, is_read_as_it_was_stored) {
  history past;
  add(past, noon, {sample_of("orders", 5), sample_of("caf\u00e9", 1)}, counts_of(3));
  add(past, noon + minutes{11}, {sample_of("orders", 7)}, {});
  history read;
  ASSERT_TRUE(read_stored_history(stored_history(past), read));
  EXPECT_EQ(history_json(read, {}, noon), history_json(past, {}, noon));
}

TEST(history, ignores_counts_that_it_does_not_know) {
  history past;
  add(past, noon, {sample_of("orders", 5)}, {});
  std::string text = stored_history(past);
  text.resize(text.rfind("{\"end\":"));
  const std::string known = R"("scatter_gather":)";
  ASSERT_NE(text.find(known), text.npos);
  text.insert(text.find(known), R"("ofTomorrow":[1],)");
  history read;
  ASSERT_TRUE(read_stored_history(text + history_end(text), read));
  EXPECT_EQ(history_json(read, {}, noon), history_json(past, {}, noon));
}

TEST(history, goes_on_from_what_an_earlier_process_left) {
  history before;
  add(before, noon, {sample_of("orders", 5)}, {});
  history now;
  add(now, noon + minutes{3}, {sample_of("orders", 2)}, {});
  now.add(before);
  const json::object all = json_of(now);
  const auto& steps =
      collection_in(all, "orders").at("minutes").at("scatter_gather").as_array();
  EXPECT_EQ(steps[56].as_int64(), 5);
  EXPECT_EQ(steps[59].as_int64(), 2);
}

TEST(history, takes_what_an_earlier_process_left_whole_or_not_at_all) {
  history earlier;
  add(earlier, noon, {sample_of("a", 1), sample_of("b", 2)}, counts_of(3));
  history whole;
  whole.add(earlier, noon);
  bool has_struck = true;
  for (std::size_t granted = 0; has_struck; ++granted) {
    history later;
    bool has_thrown = false;
    {
      const scattergate::tests::allocation_failure failure{granted};
      try {
        later.add(earlier, noon);
      } catch (const std::bad_alloc&) {
        has_thrown = true;
      }
      has_struck = failure.has_struck();
    }
    if (has_thrown) {
      EXPECT_EQ(json_of(later), json_of(history{})) << granted;
      later.add(earlier, noon);
    }
    EXPECT_EQ(json_of(later), json_of(whole)) << granted;
  }
}

TEST(history, takes_nothing_that_an_earlier_process_saw_in_the_future) {
  history before;
  add(before, noon + hours{3}, {sample_of("orders", 5)}, {});
  history now;
  add(now, noon, {sample_of("orders", 2)}, {});
  now.add(before, noon + minutes{1});
  EXPECT_EQ(sum_of(collection_in(json_of(now), "orders").at("minutes")), 2);
}

TEST(history, is_not_taken_where_it_is_damaged_or_cut) {
  history past;
  add(past, noon, {sample_of("orders", 5)}, {});
  const std::string text = stored_history(past);
  for (std::size_t at = 0; at < text.size(); at += 7) {
    history read;
    std::string spoilt = text;
    spoilt[at] = static_cast<char>(spoilt[at] ^ 1);
    EXPECT_FALSE(read_stored_history(spoilt, read)) << at;
    EXPECT_FALSE(read_stored_history(std::string_view{text}.substr(0, at), read)) << at;
    EXPECT_EQ(read.ranked().size(), 0U);
  }
}

}  // namespace
}  // namespace scattergate::telemetry
