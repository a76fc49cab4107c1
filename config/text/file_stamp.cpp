#include "config/text/file_stamp.hpp"

#include <cerrno>
#include <utility>

#include <sys/stat.h>

namespace scattergate::config {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  constexpr std::int64_t second = 1'000'000'000;
  return time.tv_sec * second + time.tv_nsec;
}

}  // namespace

file_stamp stamp_of(std::string path) {
  file_stamp made;
  made.path = std::move(path);
  struct stat facts {};
  if (::stat(made.path.c_str(), &facts) != 0) {
    made.error = errno;
    return made;
  }
  made.device = facts.st_dev;
  made.inode = facts.st_ino;
  made.size_bytes = facts.st_size;
  made.modified_ns = nanoseconds(facts.st_mtim);
  made.changed_ns = nanoseconds(facts.st_ctim);
  return made;
}

}  // namespace scattergate::config
