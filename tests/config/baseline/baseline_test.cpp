#include "config/baseline/baseline.hpp"

#include <gtest/gtest.h>

#include "text/time_text.hpp"

namespace scattergate::config {
namespace {

using std::chrono::year;
constexpr text::day last_of_january = year{2027} / 1 / 31;

TEST(baseline, is_read_with_what_people_wrote) {
  const auto read = read_baseline("b.yaml", R"(
schemaVersion: 1
accepted:
  - shapeHash: b5552500e10fa16d
    namespace: shop.orders
    command: find
    reason: missing_key
    shape: '{"filter":{"status":"?string"}}'
    why: rare
    by:
    until: 2027-01-31
)");
  ASSERT_TRUE(read.problems.empty()) << to_string(read.problems.front());
  ASSERT_EQ(read.value.accepted.size(), 1U);
  const accepted_shape& one = read.value.accepted.front();
  EXPECT_EQ(one.shape_hash, 0xb5552500e10fa16dU);
  EXPECT_EQ(one.shape, R"({"filter":{"status":"?string"}})");
  EXPECT_EQ(one.why, "rare");
  EXPECT_EQ(one.by, "");
  EXPECT_EQ(one.until, last_of_january);
  EXPECT_FALSE(one.since);
}

TEST(baseline, of_an_empty_file_accepts_nothing) {
  const auto read = read_baseline("b.yaml", "");
  EXPECT_TRUE(read.problems.empty());
  EXPECT_TRUE(read.value.accepted.empty());
}

TEST(baseline, reports_what_is_wrong_and_on_which_line) {
  struct row {
    const char* text;
    const char* problem;
  };
  const row rows[] = {
      {"schemaVersion: 1", "b.yaml:1: accepted is missing"},
      {"schemaVersion: 2\naccepted: []", "b.yaml:1: schemaVersion: expected 1, not '2'"},
      {"accepted:\n  - namespace: a.b", "b.yaml:2: an accepted shape needs its shapeHash"},
      {"accepted:\n  - {}\n  - 7", "b.yaml:2: an accepted shape needs its shapeHash"},
      {"accepted:\n  - shapeHash: xyz",
       "b.yaml:2: shapeHash: expected 16 hexadecimal digits, not 'xyz'"},
      {"accepted:\n  - shapeHash: 00000000000000ab\n  - shapeHash: 00000000000000ab",
       "b.yaml:3: shape 00000000000000ab is accepted twice"},
      {"accepted:\n  - shapeHash: 00000000000000ab\n    until: 2027-02-30",
       "b.yaml:3: until: expected a day such as 2027-01-31, not '2027-02-30'"},
      {"accepted:\n  - shapeHash: 00000000000000ab\n    because: x",
       "b.yaml:3: unknown key 'because' in an accepted shape (known: shapeHash namespace "
       "command reason shape why by until since)"},
      {"accepted: {", "b.yaml:1: "},
  };
  for (const row& one : rows) {
    const auto read = read_baseline("b.yaml", one.text);
    ASSERT_FALSE(read.problems.empty()) << one.text;
    EXPECT_TRUE(to_string(read.problems.front()).starts_with(one.problem))
        << to_string(read.problems.front());
  }
}

TEST(baseline, is_written_sorted_and_read_again_as_it_was) {
  baseline made;
  made.accepted.push_back({2, "shop.orders", "find", "missing_key",
                           R"({"filter":{"a":"it's"}})", "why: #1\nand \xe2\x80\xae", "O'Neill",
                           last_of_january, year{2026} / 12 / 1});
  made.accepted.push_back({0x1234567812345678, "*.null", "find", "null", "{}", "", "", {}, {}});
  made.accepted.push_back({0xab, "shop.orders", "aggregate", "", "{}", "null", "", {}, {}});
  const std::string text = to_yaml(made);
  const auto read = read_baseline("b.yaml", text);
  ASSERT_TRUE(read.problems.empty()) << to_string(read.problems.front()) << text;
  std::swap(made.accepted[0], made.accepted[1]);
  std::swap(made.accepted[1], made.accepted[2]);
  EXPECT_EQ(read.value, made);
  EXPECT_EQ(to_yaml(read.value), text);
}

TEST(baseline, that_cannot_be_read_is_a_problem) {
  EXPECT_FALSE(load_baseline("/nowhere/b.yaml").problems.empty());
}

}  // namespace
}  // namespace scattergate::config
