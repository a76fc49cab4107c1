#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "telemetry/audit/audit_writer.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using outcome = audit_file::outcome;

/// Lets files grow no further than some size while it lives, as a full disk would.
/// Thread-safety: one thread; the limit is the process's.
class full_disk {
 public:
  explicit full_disk(std::size_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~full_disk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(audit_file, appends_to_what_is_there) {
  const tests::temporary_folder folder;
  std::ofstream{folder.file("a")} << "old\n";
  audit_file file{folder.file("a")};
  EXPECT_EQ(file.write("new\n"), outcome::written);
  EXPECT_EQ(tests::read_file(folder.file("a")), "old\nnew\n");
}

TEST(audit_file, writes_to_standard_output) {
  ::testing::internal::CaptureStdout();
  {
    audit_file file{"-"};
    EXPECT_EQ(file.write("line\n"), outcome::written);
    EXPECT_TRUE(file.reopen());
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "line\n");
}

TEST(audit_file, is_for_its_owner_and_group) {
  const tests::temporary_folder folder;
  const mode_t mask = ::umask(0);
  const audit_file file{folder.file("a")};
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(folder.file("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(audit_file, refuses_a_path_that_cannot_be_written) {
  const tests::temporary_folder folder;
  EXPECT_THROW(audit_file{folder.file("no/such/folder/a")}, std::runtime_error);
  EXPECT_THROW(audit_file{folder.file("")}, std::runtime_error);
}

TEST(audit_file, refuses_a_fifo_that_no_one_reads) {
  const tests::temporary_folder folder;
  ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
  EXPECT_THROW(audit_file{folder.file("fifo")}, std::runtime_error);
}

TEST(audit_file, ends_a_line_that_a_crash_left_open) {
  const tests::temporary_folder folder;
  std::ofstream{folder.file("a")} << "whole\ncut";
  audit_file file{folder.file("a")};
  EXPECT_TRUE(file.finish_tail());
  EXPECT_EQ(file.write("new\n"), outcome::written);
  EXPECT_EQ(tests::read_file(folder.file("a")), "whole\ncut\nnew\n");
}

TEST(audit_file, fails_on_a_full_disk) {
  audit_file file{"/dev/full"};
  EXPECT_EQ(file.write("line\n"), outcome::failed);
  EXPECT_FALSE(file.has_tail());
}

TEST(audit_file, completes_a_line_that_was_cut) {
  const tests::temporary_folder folder;
  audit_file file{folder.file("a")};
  EXPECT_EQ(file.write("first\n"), outcome::written);
  {
    const full_disk limit{10};
    EXPECT_EQ(file.write("second\n"), outcome::cut);
    EXPECT_FALSE(file.finish_tail());
    EXPECT_EQ(tests::read_file(folder.file("a")), "first\nseco");
  }
  EXPECT_TRUE(file.finish_tail());
  EXPECT_FALSE(file.has_tail());
  EXPECT_EQ(tests::read_file(folder.file("a")), "first\nsecond\n");
}

TEST(audit_file, writes_a_cut_line_whole_to_the_file_after_rotation) {
  const tests::temporary_folder folder;
  audit_file file{folder.file("a")};
  const full_disk limit{10};
  EXPECT_EQ(file.write("0123456789abc\n"), outcome::cut);
  std::filesystem::rename(folder.file("a"), folder.file("a.1"));
  EXPECT_TRUE(file.reopen());
  EXPECT_TRUE(file.has_tail());
  {
    const full_disk more{100};
    EXPECT_TRUE(file.finish_tail());
  }
  EXPECT_EQ(tests::read_file(folder.file("a.1")), "0123456789");
  EXPECT_EQ(tests::read_file(folder.file("a")), "0123456789abc\n");
}

TEST(audit_file, continues_a_cut_line_where_the_file_was_not_rotated) {
  const tests::temporary_folder folder;
  audit_file file{folder.file("a")};
  {
    const full_disk limit{10};
    EXPECT_EQ(file.write("0123456789abc\n"), outcome::cut);
    EXPECT_TRUE(file.reopen());
  }
  EXPECT_TRUE(file.finish_tail());
  EXPECT_EQ(tests::read_file(folder.file("a")), "0123456789abc\n");
}

TEST(audit_file, keeps_the_old_file_where_the_path_cannot_be_opened_anew) {
  const tests::temporary_folder folder;
  std::filesystem::create_directory(folder.file("sub"));
  audit_file file{folder.file("sub/a")};
  std::filesystem::rename(folder.file("sub"), folder.file("gone"));
  EXPECT_FALSE(file.reopen());
  EXPECT_EQ(file.write("line\n"), outcome::written);
  EXPECT_EQ(tests::read_file(folder.file("gone/a")), "line\n");
}

TEST(audit_file, gives_up_on_a_reader_that_does_not_read) {
  const tests::temporary_folder folder;
  ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
  const int reader = ::open(folder.file("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  audit_file file{folder.file("fifo")};
  const std::string line = std::string(1U << 20U, 'x') + "\n";
  EXPECT_EQ(file.write(line), outcome::cut);
  ::close(reader);
  const auto handler = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_FALSE(file.finish_tail());
  std::signal(SIGPIPE, handler);
}

}  // namespace
}  // namespace scattergate::telemetry
