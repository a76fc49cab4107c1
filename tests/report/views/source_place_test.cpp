#include "report/views/source_place.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

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
      {"file:///repo/src/orders.mjs:42:7", "src/orders.mjs", 42},
      {"at find (file://localhost/repo/src/orders.ts:3:1)", "src/orders.ts", 3},
      {"at f (file:///repo/src/orders.ts:3:1)", "src/orders.ts", 3},
      {"file='file:///repo/src/a.js',line='8'", "src/a.js", 8},
      {"at A.B() in /repo/src/A.cs:line 12", "src/A.cs", 12},
      {"x.example.com:80 then lib/a.rs:1", "lib/a.rs", 1},
      {"src/gr\xc3\xb6\xc3\x9f"
       "e.py:3",
       "src/gr\xc3\xb6\xc3\x9f"
       "e.py",
       3},
  };
  for (const row& one : rows) {
    const auto place = place_in(one.comment, {"/repo"});
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
    EXPECT_FALSE(place_in(comment, {"/repo"})) << comment;
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

TEST(source_place, of_windows_is_below_a_root_of_windows) {
  struct row {
    std::string_view comment;
    std::string_view path;
  };
  const row rows[] = {
      {R"(C:\src\app.py:12)", "app.py"},
      {R"(c:\SRC\sub\app.py:12)", "sub/app.py"},
      {"file:///C:/src/app.py:12", "app.py"},
      {"at x (file:///c:/src/app.mjs:12:3)", "app.mjs"},
      {R"(file='C:\src\my app.py',line='12')", "my app.py"},
      {R"(D:\src\app.py:12)", ""},
      {R"(C:\srcs\app.py:12)", ""},
      {R"(C:\src\..\app.py:12)", ""},
      {R"(\\server\share\app.py:12)", ""},
  };
  for (const row& one : rows) {
    for (const char* const root : {R"(C:\src)", "C:/src/"}) {
      const auto place = place_in(one.comment, {root});
      const source_place expected{std::string{one.path}, one.path.empty() ? 0U : 12U};
      EXPECT_EQ(place.value_or(source_place{}), expected) << one.comment;
    }
  }
}

/// A repository with the files src/a.py, sub/src/a.py, sub/src/b.py and top.py.
class source_place_in_files : public testing::Test {
 protected:
  source_place_in_files() {
    for (const char* const each : {"src/a.py", "sub/src/a.py", "sub/src/b.py", "top.py"}) {
      std::filesystem::create_directories(
          std::filesystem::path{folder_.path_of(each)}.parent_path());
      folder_.write(each, "x");
    }
  }
  [[nodiscard]] std::string path(std::string comment, const std::string& working = {}) const {
    const repository in{folder_.path_of(""), working, true};
    if (const auto at = comment.find("ROOT/"); at != comment.npos) {
      comment.replace(at, 5, folder_.path_of(""));
    }
    const auto place = place_in(comment, in);
    return place ? place->path : "";
  }

  test::temporary_folder folder_;
};

TEST_F(source_place_in_files, is_a_file) {
  EXPECT_EQ(path("src/a.py:3"), "src/a.py");
  EXPECT_EQ(path("src/none.py:3"), "");
  EXPECT_EQ(path("src/none.py:3 src/a.py:4"), "src/a.py");
  EXPECT_EQ(path("ROOT/top.py:3"), "top.py");
  EXPECT_EQ(path("ROOT/none.py:3"), "");
  EXPECT_EQ(path("file://ROOT/top.py:3"), "top.py");
}

TEST_F(source_place_in_files, is_relative_to_the_senders_folder_first) {
  EXPECT_EQ(path("src/a.py:3", "sub"), "sub/src/a.py");
  EXPECT_EQ(path("src/b.py:3", "sub"), "sub/src/b.py");
  EXPECT_EQ(path("sub/src/b.py:3", "sub"), "sub/src/b.py");
  EXPECT_EQ(path("../top.py:3", "sub"), "top.py");
  EXPECT_EQ(path("../../top.py:3", "sub"), "");
  EXPECT_EQ(path("top.py:3", "sub"), "top.py");
}

TEST_F(source_place_in_files, of_another_system_is_the_file_with_the_longest_equal_end) {
  EXPECT_EQ(path("/app/sub/src/a.py:3"), "sub/src/a.py");
  EXPECT_EQ(path("/app/src/a.py:3"), "src/a.py");
  EXPECT_EQ(path("/app/top.py:3"), "");  // too little of it is equal
  EXPECT_EQ(path("/usr/lib/python3/site-packages/x/src/a.py:3"), "");
  EXPECT_EQ(path(R"(C:\work\src\a.py:3)"), "src/a.py");
  EXPECT_EQ(path("file:///D:/work/top.py:3"), "top.py");
  EXPECT_EQ(path(R"(C:\work\none.py:3)"), "");
}

TEST(source_place, of_a_shape_are_those_of_its_callers_the_most_frequent_first) {
  digest::row one;
  one.who.add({{}, {}, {}, {}, "a.py:1", 1});
  one.who.add({{}, {}, {}, {}, "b.py:2", 5});
  one.who.add({"other", {}, {}, {}, "b.py:2", 2});
  one.who.add({{}, {}, {}, {}, "?object", 9});
  EXPECT_EQ(places_of(one), (std::vector<source_place>{{"b.py", 2}, {"a.py", 1}}));
}

}  // namespace
}  // namespace scattergate::report
