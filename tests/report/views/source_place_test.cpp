#include "report/views/source_place.hpp"

#include <gtest/gtest.h>

namespace scattergate::report {
namespace {

TEST(source_place, is_read_from_what_applications_write_into_comments) {
  struct row {
    std::string_view comment;
    std::string_view path;
    unsigned line;
  };
  const row rows[] = {
      {"src/orders.py:42", "src/orders.py", 42},
      {"./src/orders.py:42", "src/orders.py", 42},
      {"nightly job, see internal/db/orders_test.go:7 (ListOrders)",
       "internal/db/orders_test.go", 7},
      {"line:app/models/order.rb:12:in `late'", "app/models/order.rb", 12},
      {"/repo/app/models/order.rb:12", "app/models/order.rb", 12},
      {"file='src%2Forders.ts',line='9'", "src/orders.ts", 9},
      {"source_location='app%2Forder.rb%3A12'", "app/order.rb", 12},
      {"OrderDao.java:17", "OrderDao.java", 17},
      {"file='src/a,b.py',line='3'", "src/a,b.py", 3},
      {"file='src%2Fa%2Cb.py',line='3'", "src/a,b.py", 3},
      {"action='x',file='src%2Fmy%20orders.py',framework='y'", "", 0},
      {"db_driver='pymongo',file='my%20app%2Fa(1).py',line='5',route='%2Fx'", "my app/a(1).py",
       5},
      {"file='%2Frepo%2Fsrc%2Fa.py',line='6'", "src/a.py", 6},
      {"tests\\win.py:4", "tests/win.py", 4},
      {".\\src\\a.cs:4", "src/a.cs", 4},
      {"x.example.com:80 then lib/a.rs:1", "lib/a.rs", 1},
      {"src/gr\xc3\xb6\xc3\x9f"
       "e.py:3",
       "src/gr\xc3\xb6\xc3\x9f"
       "e.py",
       3},
  };
  for (const row& one : rows) {
    const auto place = place_in(one.comment, "/repo");
    if (one.line == 0) {
      EXPECT_FALSE(place) << one.comment;
      continue;
    }
    ASSERT_TRUE(place) << one.comment;
    EXPECT_EQ(place->path, one.path);
    EXPECT_EQ(place->line, one.line);
  }
}

TEST(source_place, is_none_outside_of_the_repository_or_of_source_files) {
  for (const std::string_view comment : {"",
                                         "42",
                                         ":42",
                                         "nightly",
                                         "src/orders.py",
                                         "src/orders.py:0",
                                         "src/orders.py:x",
                                         "src/orders.py:123456789",
                                         "/etc/passwd.py:1",
                                         "/repository/a.py:1",
                                         "../a.py:1",
                                         "a/../../b.py:1",
                                         "%2e%2e%2fa.py:1",
                                         "~/a.py:1",
                                         "C:\\src\\a.py:1",
                                         "..\\a.py:1",
                                         "file='..%2Fa.py',line='1'",
                                         "file='a%0A.py',line='1'",
                                         "file='a.py",
                                         "localhost:27017",
                                         "example.com:8080",
                                         "10.0.0.1:80",
                                         ".py:3",
                                         "src/a\x01.exe:3",
                                         "?object"}) {
    EXPECT_FALSE(place_in(comment, "/repo")) << comment;
  }
  EXPECT_FALSE(
      place_in("src/\xe2\x80\xae"
               "yp.py:3"))
      << "turns the text around it";
  EXPECT_FALSE(place_in("src/\xff.py:3")) << "is no UTF-8";
  EXPECT_FALSE(place_in(std::string(1'000, 'a') + ".py:3"));
}

TEST(source_place, never_holds_what_ends_a_line) {
  const auto place = place_in("x\na.py:3%0A::error::");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->path, "a.py");
}

TEST(source_place, is_the_most_frequent_callers) {
  digest::row one;
  one.who.add({{}, {}, {}, {}, "a.py:1", 1});
  one.who.add({{}, {}, {}, {}, "b.py:2", 5});
  one.who.add({{}, {}, {}, {}, "?object", 9});
  EXPECT_EQ(place_of(one)->path, "b.py");
}

}  // namespace
}  // namespace scattergate::report
