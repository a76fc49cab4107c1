#include "config/text/input.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text/file_stamp.hpp"
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
  EXPECT_EQ(read_file(path, text.size() - 1).error().what, "larger than 199999 bytes");
  EXPECT_EQ(read_file(folder.path_of("absent"), 10).error().what,
            "cannot be read: No such file or directory");
  EXPECT_EQ(read_file(folder.path_of(""), 10).error().what, "is a folder");
  EXPECT_EQ(read_file("/dev/zero", 1 << 20).error().what, "larger than 1 MiB");
  ASSERT_EQ(::symlink("loop", folder.path_of("loop").c_str()), 0);
  EXPECT_EQ(read_file(folder.path_of("loop"), 10).error().what,
            "cannot be read: Too many levels of symbolic links");
}

TEST(read_file, reads_a_pipe_but_doesnt_wait_for_a_writer_for_ever) {
  const test::temporary_folder folder;
  const std::string path = folder.path_of("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(read_file(path, 10).error().what, "is a pipe from which nothing came for 5 s");
  std::thread writer{[&path] { std::ofstream{path} << "content"; }};
  EXPECT_EQ(read_file(path, 10).value(), "content");
  writer.join();
}

TEST(check_readable, says_what_is_no_file_to_read) {
  const test::temporary_folder folder;
  const auto what = [&folder](const std::string& name) {
    return check_readable(folder.path_of(name), 10).error().what;
  };
  EXPECT_TRUE(check_readable(folder.write("file", "x"), 1));
  folder.write("empty", "");
  EXPECT_EQ(what("empty"), "is empty");
  EXPECT_EQ(what(""), "is a folder");
  EXPECT_EQ(what("absent"), "cannot be read: No such file or directory");
  ASSERT_EQ(mkfifo(folder.path_of("fifo").c_str(), 0600), 0);
  EXPECT_EQ(what("fifo"), "is not a regular file");
  std::filesystem::resize_file(folder.write("sparse", "x"), 2UL << 30);
  EXPECT_EQ(what("sparse"), "is larger than 10 bytes");
}

TEST(stamp_of, differs_when_the_file_or_what_a_link_names_has_changed) {
  const test::temporary_folder folder;
  const std::string link = folder.path_of("link");
  const file_stamp absent = stamp_of(link);
  EXPECT_EQ(absent.error, ENOENT);
  ASSERT_EQ(::symlink(folder.write("a", "same").c_str(), link.c_str()), 0);
  const file_stamp first = stamp_of(link);
  EXPECT_NE(first, absent);
  EXPECT_EQ(first, stamp_of(link));
  ASSERT_EQ(::unlink(link.c_str()), 0);
  ASSERT_EQ(::symlink(folder.write("b", "same").c_str(), link.c_str()), 0);
  EXPECT_NE(stamp_of(link), first);
}

}  // namespace
}  // namespace scattergate::config
