#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace scattergate::fuzz {

/// A file in memory that has a path, for readers that take only a path. The constructor aborts
/// the program if the file can't be written.
class memory_file {
 public:
  explicit memory_file(std::span<const std::uint8_t> content)
      : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    while (!content.empty()) {
      const ssize_t written = ::write(fd_, content.data(), content.size());
      if (written <= 0) std::abort();
      content = content.subspan(static_cast<std::size_t>(written));
    }
  }
  ~memory_file() { ::close(fd_); }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  /// The path; valid in this process while this object exists.
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace scattergate::fuzz
