#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "telemetry/admin/admin_guests.hpp"

namespace scattergate::telemetry {
namespace {

/// Uses up all file descriptors for its lifetime, except those that others close.
class exhaustion {
 public:
  exhaustion() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit scarce = before_;
    scarce.rlim_cur = 64;
    setrlimit(RLIMIT_NOFILE, &scarce);
    for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) taken_.push_back(fd);
  }
  ~exhaustion() {
    for (const int fd : taken_) ::close(fd);
    setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST(spare_descriptors, make_room_for_answers_while_none_is_free) {
  spare_descriptors spare{4};
  ASSERT_EQ(spare.held(), 4U);
  const exhaustion none_free;
  EXPECT_TRUE(spare.release());
  const int one = ::dup(0);
  const int other = ::dup(0);
  EXPECT_GE(one, 0);
  EXPECT_GE(other, 0);
  EXPECT_LT(::dup(0), 0);
  EXPECT_TRUE(spare.release());
  EXPECT_FALSE(spare.release());
  ::close(one);
  ::close(other);
}

TEST(spare_descriptors, are_taken_back_when_some_are_free_again) {
  spare_descriptors spare{4};
  {
    const exhaustion none_free;
    ASSERT_TRUE(spare.release());
    const int used = ::dup(0);
    spare.refill();
    EXPECT_EQ(spare.held(), 3U);
    ::close(used);
    spare.refill();
    EXPECT_EQ(spare.held(), 4U);
  }
}

TEST(spare_descriptors, do_without_where_there_are_none) {
  const exhaustion none_free;
  spare_descriptors spare{4};
  EXPECT_EQ(spare.held(), 0U);
  EXPECT_FALSE(spare.release());
}

}  // namespace
}  // namespace scattergate::telemetry
