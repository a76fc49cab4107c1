#pragma once

#include <utility>

#include <unistd.h>

namespace scattergate::net {

/// Owns a file descriptor and closes it. -1 means no descriptor.
class unique_fd {
 public:
  unique_fd() noexcept = default;
  explicit unique_fd(int fd) noexcept : fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~unique_fd() { reset(); }

  /// The descriptor; -1 if there is none.
  [[nodiscard]] int get() const noexcept { return fd_; }
  /// Returns the descriptor without closing it, and gives up ownership.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
  /// Whether this object owns a descriptor.
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }

  /// Closes the owned descriptor, then takes ownership of `fd`; -1: of none.
  void reset(int fd = -1) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace scattergate::net
