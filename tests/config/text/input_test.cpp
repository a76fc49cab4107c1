#include "config/text/input.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temporary_folder.hpp"

namespace scattergate::config {
namespace {

TEST(line_reader, numbers_lines_and_drops_their_ends) {
  std::istringstream stream{"one\r\n\n  \t\nlast"};
  line_reader lines{stream, 100};
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.line(), "one");
  EXPECT_EQ(lines.number(), 1U);
  EXPECT_FALSE(lines.is_blank());
  ASSERT_TRUE(lines.next());
  EXPECT_TRUE(lines.is_blank());
  ASSERT_TRUE(lines.next());
  EXPECT_TRUE(lines.is_blank());
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.line(), "last");
  EXPECT_EQ(lines.number(), 4U);
  EXPECT_FALSE(lines.next());
}

TEST(line_reader, skips_a_line_that_is_too_long_and_goes_on) {
  std::istringstream stream{std::string(11, 'x') + "\n" + std::string(10, 'y') + "\n"};
  line_reader lines{stream, 10};
  ASSERT_TRUE(lines.next());
  EXPECT_TRUE(lines.is_too_long());
  EXPECT_EQ(lines.line(), "");
  EXPECT_FALSE(lines.is_blank());
  ASSERT_TRUE(lines.next());
  EXPECT_FALSE(lines.is_too_long());
  EXPECT_EQ(lines.line(), std::string(10, 'y'));
  EXPECT_FALSE(lines.next());
}

TEST(line_reader, ends_where_reading_fails) {
  std::ifstream folder{"/"};
  line_reader lines{folder, 10};
  EXPECT_FALSE(lines.next());
  EXPECT_TRUE(folder.bad());
}

TEST(read_file, reads_up_to_its_bound_and_says_why_not) {
  const test::temporary_folder folder;
  const std::string text(200'000, 'x');
  const std::string path = folder.write("file", text);
  EXPECT_EQ(read_file(path, text.size()).value(), text);
  EXPECT_EQ(read_file(path, text.size() - 1).error().what, "larger than 0 MiB");
  EXPECT_EQ(read_file(folder.path_of("absent"), 10).error().what,
            "cannot be read: No such file or directory");
  EXPECT_EQ(read_file(folder.path_of(""), 10).error().what, "cannot be read");
  EXPECT_EQ(read_file("/dev/zero", 1 << 20).error().what, "larger than 1 MiB");
}

TEST(check_readable, says_what_is_no_file_to_read) {
  const test::temporary_folder folder;
  EXPECT_TRUE(check_readable(folder.write("file", "x")));
  EXPECT_EQ(check_readable(folder.write("empty", "")).error().what, "is empty");
  EXPECT_EQ(check_readable(folder.path_of("")).error().what, "is a folder");
  EXPECT_EQ(check_readable(folder.path_of("absent")).error().what,
            "cannot be read: No such file or directory");
  ASSERT_EQ(mkfifo(folder.path_of("fifo").c_str(), 0600), 0);
  EXPECT_TRUE(check_readable(folder.path_of("fifo")));  // and doesn't wait for a writer
}

}  // namespace
}  // namespace scattergate::config
