#include "config/text/input.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <streambuf>

#include <fcntl.h>
#include <sys/stat.h>

#include "net/unique_fd.hpp"

namespace scattergate::config {

text::result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  std::ifstream file{path, std::ios::binary};
  if (!file) {
    return text::problem{path, std::string{"cannot be read: "} + std::strerror(errno)};
  }
  std::string content;
  constexpr std::size_t step = 64UL << 10;
  while (file && content.size() <= max_bytes) {
    const std::size_t have = content.size();
    content.resize(have + step);
    file.read(content.data() + have, step);
    content.resize(have + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return text::problem{path, "cannot be read"};
  if (content.size() > max_bytes) {
    return text::problem{path, "larger than " + std::to_string(max_bytes >> 20) + " MiB"};
  }
  return content;
}

text::result<void> check_readable(const std::string& path) {
  const net::unique_fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file) {
    return text::problem{path, std::string{"cannot be read: "} + std::strerror(errno)};
  }
  struct stat facts {};
  const bool is_known = ::fstat(file.get(), &facts) == 0;
  if (is_known && S_ISDIR(facts.st_mode)) return text::problem{path, "is a folder"};
  if (is_known && S_ISREG(facts.st_mode) && facts.st_size == 0) {
    return text::problem{path, "is empty"};
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
