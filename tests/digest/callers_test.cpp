
#include "digest/callers.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace scattergate::digest {
namespace {

TEST(test_name, is_taken_out_of_the_comment) {
  struct row {
    std::string_view comment, test, rest;
  };
  const row rows[] = {
      {"", "", ""},
      {"src/orders.py:42", "", "src/orders.py:42"},
      {"test='a'", "a", ""},
      {"file='%2Fs%2Fa.py',line='4',test='tests%2Ft.py::one%5B1%5D'", "tests/t.py::one[1]",
       "file='%2Fs%2Fa.py',line='4'"},
      {"file='a.py',line='4',test='x y' the page", "x y", "file='a.py',line='4' the page"},
      {"test='x' scattergate:accept it is rare", "x", "scattergate:accept it is rare"},
      {"action='list',test='a',db='b'", "a", "action='list',db='b'"},
      {"test='isn%27t many'", "isn't many", ""},
      {"test='a%0Ab%1B'",
       "a\xEF\xBF\xBD"
       "b\xEF\xBF\xBD",
       ""},
      {"file='a.py',line='4',test='cut off%2", "cut off%2", "file='a.py',line='4'"},
      {"latest='a'", "", "latest='a'"},
      {"latest='a',test='b'", "b", "latest='a'"},
      {"test=a", "", "test=a"},
      {"test='", "", ""},
  };
  for (const row& one : rows) {
    std::string comment{one.comment};
    EXPECT_EQ(take_test_name(comment), one.test) << one.comment;
    EXPECT_EQ(comment, one.rest) << one.comment;
  }
}

TEST(test_name, distinguishes_no_callers) {
  callers who;
  who.add({.app_name = "shop", .comment = "a.py:1", .count = 1});
  who.add({.app_name = "shop", .comment = "a.py:1,test='first'", .count = 2});
  who.add({.app_name = "shop", .comment = "a.py:1", .count = 4, .test = "second"});
  who.add({.app_name = "shop", .comment = "test='first',a.py:2", .count = 8});
  callers later;
  later.add({.app_name = "shop", .comment = "a.py:1", .count = 16, .test = "third"});
  who.add(later);
  const auto all = who.ranked();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0],
            (caller{.app_name = "shop", .comment = "a.py:1", .count = 23, .test = "first"}));
  EXPECT_EQ(all[1],
            (caller{.app_name = "shop", .comment = "a.py:2", .count = 8, .test = "first"}));
  who.subtract(later);
  EXPECT_EQ(who.count(), 15U);
}

TEST(test_name, leaves_room_for_other_callers) {
  callers who;
  for (int i = 0; i < 100; ++i) {
    who.add({.comment = "a.py:1,test='" + std::to_string(i) + "'", .count = 1});
  }
  who.add({.comment = "a.py:2,test='x'", .count = 1});
  EXPECT_EQ(who.all().size(), 2U);
  EXPECT_EQ(who.others(), 0U);
}

}  // namespace
}  // namespace scattergate::digest
