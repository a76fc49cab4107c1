#include "config/text/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <istream>
#include <streambuf>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/unique_fd.hpp"

namespace scattergate::config {

namespace {

/// How long reading a pipe waits for the next part of its content.
constexpr int pipe_patience_ms = 5'000;

text::problem unreadable(const std::string& path) {
  return {path, std::string{"cannot be read: "} + std::strerror(errno)};
}

/// Opens without waiting for the writer of a pipe.
net::unique_fd open_file(const std::string& path) {
  return net::unique_fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
}

std::string size_text(std::size_t bytes) {
  constexpr std::size_t mebibyte = 1UL << 20;
  if (bytes < mebibyte) return std::to_string(bytes) + " bytes";
  return std::to_string(bytes / mebibyte) + " MiB";
}

/// Waits until a pipe has data, or its writers have closed it. Regular files never wait.
text::result<void> await_data(int file, const std::string& path) {
  pollfd waiting{file, POLLIN, 0};
  const int ready = ::poll(&waiting, 1, pipe_patience_ms);
  if (ready > 0 || (ready < 0 && errno == EINTR)) return {};
  if (ready < 0) return unreadable(path);
  return text::problem{path, "is a pipe from which nothing came for 5 s"};
}

}  // namespace

text::result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const net::unique_fd file = open_file(path);
  if (!file) return unreadable(path);
  std::string content;
  constexpr std::size_t step = 64UL << 10;
  while (content.size() <= max_bytes) {
    if (const auto waited = await_data(file.get(), path); !waited) return waited.error();
    const std::size_t have = content.size();
    content.resize(have + step);
    const ssize_t count = ::read(file.get(), content.data() + have, step);
    content.resize(have + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) return content;
    if (count > 0 || errno == EAGAIN || errno == EINTR) continue;
    if (errno == EISDIR) return text::problem{path, "is a folder"};
    return unreadable(path);
  }
  return text::problem{path, "larger than " + size_text(max_bytes)};
}

text::result<void> check_readable(const std::string& path, std::size_t max_bytes) {
  const net::unique_fd file = open_file(path);
  if (!file) return unreadable(path);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return unreadable(path);
  if (S_ISDIR(facts.st_mode)) return text::problem{path, "is a folder"};
  if (!S_ISREG(facts.st_mode)) return text::problem{path, "is not a regular file"};
  if (facts.st_size == 0) return text::problem{path, "is empty"};
  if (static_cast<std::uint64_t>(facts.st_size) > max_bytes) {
    return text::problem{path, "is larger than " + size_text(max_bytes)};
  }
  return {};
}

std::optional<text::problem> secret_exposed(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return std::nullopt;
  constexpr mode_t writers = S_IWUSR | S_IWGRP | S_IWOTH;
  const bool is_mounted = (about.st_mode & writers) == 0;
  if ((about.st_mode & S_IROTH) == 0 || is_mounted) return std::nullopt;
  return text::failure(path + " can be read by every user of this host");
}

bool line_reader::next() {
  line_.clear();
  too_long_ = false;
  try {
    if (!read_line()) return false;
  } catch (const std::ios_base::failure&) {  // the stream buffer's report of a failed read
    stream_.setstate(std::ios_base::badbit);
    return false;
  }
  if (too_long_) line_.clear();
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  ++number_;
  return true;
}

bool line_reader::read_line() {
  constexpr int end = std::char_traits<char>::eof();
  std::streambuf& from = *stream_.rdbuf();
  int byte = from.sbumpc();
  if (byte == end) return false;
  for (; byte != end && byte != '\n'; byte = from.sbumpc()) {
    if (line_.size() < max_line_bytes_) {
      line_ += static_cast<char>(byte);
    } else {
      too_long_ = true;
    }
  }
  return true;
}

bool line_reader::is_blank() const noexcept {
  return !too_long_ && line_.find_first_not_of(" \t") == std::string::npos;
}

}  // namespace scattergate::config
