#include "proxy/faults/fault_reports.hpp"

#include <gtest/gtest.h>

namespace scattergate::proxy {
namespace {

using enum telemetry::condition_kind;

class fault_notes_test : public testing::Test {
 protected:
  /// Since the last time: "10.0.0.7: bad_length x1".
  std::vector<std::string> take_reported() {
    std::vector<std::string> lines;
    for (const fault& each : std::exchange(reported_, {})) {
      lines.push_back(each.subject + ": " + each.detail + " x" + std::to_string(each.count));
    }
    return lines;
  }

 private:
  std::vector<fault> reported_;

 protected:
  fault_reports notes_{[this](const std::vector<fault>& all) {
    reported_.insert(reported_.end(), all.begin(), all.end());
  }};
};

using lines = std::vector<std::string>;

TEST_F(fault_notes_test, reports_the_first_at_once_and_the_others_as_a_number) {
  notes_.note(wire_errors, "10.0.0.7", "bad_length");
  EXPECT_EQ(take_reported(), (lines{"10.0.0.7: bad_length x1"}));
  for (int i = 0; i < 5; ++i) notes_.note(wire_errors, "10.0.0.7", "tls_hello");
  EXPECT_EQ(take_reported(), lines{});
  notes_.flush();
  EXPECT_EQ(take_reported(), (lines{"10.0.0.7: tls_hello x5"}));
  notes_.flush();
  EXPECT_EQ(take_reported(), lines{});
}

TEST_F(fault_notes_test, distinguishes_kinds_and_subjects) {
  notes_.note(wire_errors, "a", "1");
  notes_.note(tls_failures, "a", "2");
  notes_.note(wire_errors, "b", "3");
  EXPECT_EQ(take_reported(), (lines{"a: 1 x1", "a: 2 x1", "b: 3 x1"}));
}

TEST_F(fault_notes_test, distinguishes_listeners) {
  notes_.note(wire_errors, {"a", "127.0.0.1:1"}, "1");
  notes_.note(wire_errors, {"a", "127.0.0.1:2"}, "2");
  EXPECT_EQ(take_reported(), (lines{"a: 1 x1", "a: 2 x1"}));
  notes_.note(wire_errors, {"a", "127.0.0.1:2"}, "3");
  notes_.flush();
  EXPECT_EQ(take_reported(), (lines{"a: 3 x1"}));
}

TEST_F(fault_notes_test, takes_many_strangers_for_one) {
  for (int i = 0; i < 10'000; ++i) notes_.note(wire_errors, std::to_string(i), "bad_length");
  EXPECT_EQ(take_reported().size(), fault_reports::most + 1);
  notes_.flush();
  const lines repeated = take_reported();
  EXPECT_EQ(repeated.size(), fault_reports::most + 1);
  const std::size_t shared = 10'000 - 2 * fault_reports::most;
  EXPECT_EQ(repeated.back(), "others: bad_length x" + std::to_string(shared - 1));
}

TEST_F(fault_notes_test, keep_the_name_of_the_one_with_the_most_among_many_strangers) {
  for (int i = 0; i < 10'000; ++i) {
    notes_.note(wire_errors, std::to_string(i), "bad_length");
    if (i >= 1'000 && i % 8 == 0) notes_.note(wire_errors, "worst", "bad_length");
  }
  static_cast<void>(take_reported());
  notes_.flush();
  std::size_t named = 0;
  for (const std::string& one : take_reported()) named += one.starts_with("worst: ") ? 1 : 0;
  EXPECT_EQ(named, 1U);
}

TEST_F(fault_notes_test, begins_anew_each_second) {
  notes_.note(wire_errors, "a", "1");
  notes_.flush();
  static_cast<void>(take_reported());
  notes_.note(wire_errors, "a", "1");
  EXPECT_EQ(take_reported(), (lines{"a: 1 x1"}));
}

}  // namespace
}  // namespace scattergate::proxy
