#include "report/sources/input.hpp"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/support/problem_in.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scattergate::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class input_test : public testing::Test {
 protected:
  std::string file(const std::string& content) { return folder.write("input", content); }
  static std::string gzipped(const std::string& text) {
    std::string packed(text.size() + 1024, '\0');
    z_stream state{};
    constexpr int gzip_window = 15 + 16;
    deflateInit2(&state, 6, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY);
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    state.avail_in = static_cast<uInt>(text.size());
    state.next_out = reinterpret_cast<Bytef*>(packed.data());
    state.avail_out = static_cast<uInt>(packed.size());
    deflate(&state, Z_FINISH);
    packed.resize(state.total_out);
    deflateEnd(&state);
    return packed;
  }
  static std::string zstd(const std::string& text) {
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    return packed;
  }
  static std::vector<std::string> lines_of(input& from) {
    std::vector<std::string> all;
    input_lines lines{from};
    while (lines.next()) {
      all.emplace_back(lines.is_too_long() ? "<too long>" : std::string{lines.line()});
    }
    return all;
  }

  test::temporary_folder folder;
};

TEST_F(input_test, gives_lines_with_any_end_and_without) {
  input from{file("a\nb\r\n\nlast")};
  EXPECT_THAT(lines_of(from), ElementsAre("a", "b", "", "last"));
  EXPECT_FALSE(from.problem());
  EXPECT_EQ(from.bytes_read(), 10U);
  EXPECT_EQ(from.size(), 10U);
}

TEST_F(input_test, unpacks_gzip_and_zstd) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i) + "\n";
  for (const std::string& packed : {gzipped(text), zstd(text)}) {
    input from{file(packed)};
    const auto lines = lines_of(from);
    EXPECT_EQ(lines.size(), 100'000U);
    EXPECT_EQ(lines.back(), "line 99999");
    EXPECT_FALSE(from.problem());
  }
}

TEST_F(input_test, unpacks_what_is_smaller_packed_than_one_look_at_it) {
  const std::string text(100'000, 'x');
  for (const std::string& packed : {gzipped(text), zstd(text)}) {
    input from{file(packed)};
    EXPECT_EQ(from.peek(10), "xxxxxxxxxx");
    EXPECT_THAT(lines_of(from), ElementsAre(text));
    EXPECT_FALSE(from.problem());
  }
}

TEST_F(input_test, gives_what_came_before_a_cut_and_says_so) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  for (const std::string& packed : {gzipped(text), zstd(text)}) {
    input from{file(packed.substr(0, packed.size() / 2))};
    EXPECT_GT(lines_of(from).size(), 1'000U);
    EXPECT_THAT(tests::problem_in(from.problem()), HasSubstr("truncated or corrupt"));
  }
}

TEST_F(input_test, skips_a_line_that_is_too_long_and_goes_on) {
  input from{file("a\n" + std::string(input_lines::max_line_bytes * 2, 'x') + "\nb\n")};
  EXPECT_THAT(lines_of(from), ElementsAre("a", "<too long>", "b"));
}

TEST_F(input_test, says_what_can_not_be_read) {
  input missing{file("") + ".none"};
  EXPECT_THAT(tests::problem_in(missing.problem()), HasSubstr("No such file"));
  input directory{"/"};
  EXPECT_THAT(tests::problem_in(directory.problem()), HasSubstr("directory"));
  EXPECT_TRUE(lines_of(directory).empty());
}

TEST_F(input_test, shows_the_beginning_and_gives_it_again) {
  input from{file("abcdef")};
  EXPECT_EQ(from.peek(3), "abc");
  EXPECT_EQ(from.peek(100), "abcdef");
  EXPECT_THAT(lines_of(from), ElementsAre("abcdef"));
  input empty{file("")};
  EXPECT_EQ(empty.peek(3), "");
  EXPECT_TRUE(lines_of(empty).empty());
}

TEST_F(input_test, of_a_file_that_grows_reads_what_was_there_and_no_line_in_part) {
  const std::string path = file("one\ntwo\nthr");
  input from{path};
  std::ofstream{path, std::ios::app} << "ee\nfour\n";
  input_lines lines{from};
  ASSERT_TRUE(lines.next());
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.line(), "two");
  EXPECT_FALSE(lines.next());
  EXPECT_EQ(from.grown_bytes(), 8U);
  EXPECT_FALSE(from.problem());
}

TEST_F(input_test, says_when_a_file_becomes_shorter) {
  const std::string path = file(std::string(1'000'000, 'x'));
  input from{path};
  ASSERT_EQ(::truncate(path.c_str(), 500'000), 0);
  std::string room(2'000'000, '\0');
  EXPECT_FALSE(from.fill(room));
  EXPECT_THAT(tests::problem_in(from.problem()), HasSubstr("was truncated while being read"));
}

}  // namespace
}  // namespace scattergate::report
