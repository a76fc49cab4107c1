#include <gtest/gtest.h>

#include "text/time_text.hpp"

namespace scattergate::text {
namespace {

using std::chrono::year;

TEST(days, are_read_and_shown_as_iso_writes_them) {
  for (const char* text : {"2027-01-31", "2024-02-29", "0001-01-01"}) {
    const auto read = parse_day(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(show_day(*read), text);
  }
}

TEST(days, that_no_calendar_has_are_none) {
  for (const char* text :
       {"", "2027-1-31", "2027-02-29", "2027-13-01", "2027-00-01", "27-01-31", "2027/01/31",
        "2027-01-31T00", "-027-01-31", "2027-01--1", "tomorrow"}) {
    EXPECT_FALSE(parse_day(text)) << text;
  }
}

TEST(days, the_last_one_counts_in) {
  const day last = year{2027} / 1 / 31;
  EXPECT_FALSE(has_passed(last, year{2027} / 1 / 30));
  EXPECT_FALSE(has_passed(last, last));
  EXPECT_TRUE(has_passed(last, year{2027} / 2 / 1));
  EXPECT_FALSE(has_passed(std::nullopt, year{2999} / 1 / 1));
}

}  // namespace
}  // namespace scattergate::text
