#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "telemetry/sketches/sketch_book.hpp"
#include "tests/support/problem_in.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using testing::HasSubstr;

mode_t mode_of(const std::string& path) {
  struct stat found {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0);
  return found.st_mode & 07777U;
}

TEST(salt_file, is_made_once_for_its_owner_alone) {
  const tests::temporary_folder folder;
  const std::string path = folder.file("salt");
  EXPECT_FALSE(salt_file_problem(path)) << "it will be made";
  const auto made = salt_in(path);
  ASSERT_TRUE(made);
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(salt_in(path).value(), *made);
  EXPECT_FALSE(salt_exposed(path));
  EXPECT_FALSE(salt_file_problem(path));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder.file("")}) {
    files += entry.exists() ? 1 : 0;
  }
  EXPECT_EQ(files, 1U);
}

TEST(salt_file, of_a_wider_mode_is_reported_and_usable) {
  const tests::temporary_folder folder;
  const std::string path = folder.file("salt");
  const auto made = salt_in(path);
  for (const mode_t mode : {0640U, 0604U, 0660U, 0777U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    ASSERT_TRUE(salt_exposed(path)) << mode;
    EXPECT_THAT(salt_exposed(path)->what, HasSubstr("chmod 0600"));
    EXPECT_TRUE(salt_file_problem(path));
    EXPECT_EQ(salt_in(path).value(), made.value());
  }
  ASSERT_EQ(::chmod(path.c_str(), 0400), 0);
  EXPECT_FALSE(salt_exposed(path));
}

TEST(salt_file, that_is_something_else_is_refused) {
  const tests::temporary_folder folder;
  const std::string path = folder.file("salt");
  std::ofstream{path} << "password\n";
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  EXPECT_THAT(scattergate::tests::problem_in(salt_in(path)), HasSubstr("not a salt"));
  EXPECT_TRUE(salt_file_problem(path));
  EXPECT_THAT(scattergate::tests::problem_in(salt_in(folder.file("nowhere/salt"))),
              HasSubstr("cannot be created"));
}

}  // namespace
}  // namespace scattergate::telemetry
