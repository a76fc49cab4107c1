#include "report/sources/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace scattergate::report {
namespace {

constexpr std::size_t block_bytes = 256 * 1024;

}  // namespace

/// A file descriptor's bytes, some of which have been looked at.
class input::counting_file {
 public:
  counting_file(int fd, bool is_owned) : fd_(fd), is_owned_(is_owned) {}
  ~counting_file() {
    if (is_owned_) ::close(fd_);
  }
  counting_file(const counting_file&) = delete;
  counting_file& operator=(const counting_file&) = delete;

  std::size_t read(std::span<char> room) {
    if (!looked_at_.empty()) {
      const std::size_t bytes = std::min(room.size(), looked_at_.size());
      std::copy_n(looked_at_.begin(), bytes, room.begin());
      looked_at_.erase(0, bytes);
      return bytes;
    }
    return read_file(room);
  }

  std::string_view look(std::size_t bytes) {
    std::string block(bytes, '\0');
    while (looked_at_.size() < bytes) {
      const std::size_t more = read_file({block.data(), bytes - looked_at_.size()});
      if (more == 0) break;
      looked_at_.append(block, 0, more);
    }
    return looked_at_;
  }

  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  [[nodiscard]] int error() const noexcept { return errno_; }

 private:
  std::size_t read_file(std::span<char> room) {
    ssize_t bytes = 0;
    do {
      bytes = ::read(fd_, room.data(), room.size());
    } while (bytes < 0 && errno == EINTR);
    if (bytes < 0) errno_ = errno;
    if (bytes <= 0) return 0;
    bytes_read_ += static_cast<std::uint64_t>(bytes);
    return static_cast<std::size_t>(bytes);
  }

  int fd_;
  bool is_owned_;
  std::string looked_at_;
  std::uint64_t bytes_read_ = 0;
  int errno_ = 0;
};

input::input(const std::string& path) {
  open(path);
}

input::~input() = default;

void input::open(const std::string& path) {
  const bool is_standard = path == "-";
  const int fd = is_standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    error_ = std::strerror(errno);
    return;
  }
  file_ = std::make_unique<counting_file>(fd, !is_standard);
  struct stat about {};
  if (::fstat(fd, &about) == 0) {
    if (S_ISDIR(about.st_mode)) {
      error_ = std::strerror(EISDIR);
      return;
    }
    if (S_ISREG(about.st_mode)) size_ = static_cast<std::uint64_t>(about.st_size);
  }
  constexpr std::size_t telling_bytes = 4;
  const std::string begins{file_->look(telling_bytes)};
  unpacked_ = unpacked::of(begins, [this](std::span<char> room) { return file_->read(room); });
}

std::size_t input::read_unpacked(std::span<char> room) {
  const std::size_t bytes = unpacked_ ? unpacked_->read(room) : file_->read(room);
  if (bytes == 0 && file_->error() != 0) error_ = std::strerror(file_->error());
  if (error_.empty() && unpacked_ && unpacked_->is_spoilt()) {
    error_ = "the compressed data is cut short or spoilt";
  }
  return bytes;
}

std::size_t input::read(std::span<char> room) {
  if (!peeked_.empty()) {
    const std::size_t bytes = std::min(room.size(), peeked_.size());
    std::copy_n(peeked_.begin(), bytes, room.begin());
    peeked_.erase(0, bytes);
    return bytes;
  }
  return error_.empty() ? read_unpacked(room) : 0;
}

std::string_view input::peek(std::size_t bytes) {
  std::string block(bytes, '\0');
  while (peeked_.size() < bytes && error_.empty()) {
    const std::size_t more = read_unpacked({block.data(), bytes - peeked_.size()});
    if (more == 0) break;
    peeked_.append(block, 0, more);
  }
  return std::string_view{peeked_}.substr(0, bytes);
}

std::uint64_t input::bytes_read() const noexcept {
  return file_ ? file_->bytes_read() : 0;
}

bool input_lines::fill() {
  if (is_at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + block_bytes + padding) {
    buffer_.resize(std::max(buffer_.size() * 2, end_ + block_bytes + padding));
  }
  const std::size_t room = buffer_.size() - padding - end_;
  const std::size_t more = input_.read({buffer_.data() + end_, room});
  end_ += more;
  is_at_end_ = more == 0;
  return more != 0;
}

bool input_lines::next() {
  is_too_long_ = false;
  std::size_t searched = 0;
  for (;;) {
    const char* const from = buffer_.data() + begin_ + searched;
    const std::size_t left = end_ - begin_ - searched;
    const void* const found = left == 0 ? nullptr : std::memchr(from, '\n', left);
    if (found != nullptr) {
      const auto length =
          static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) - begin_;
      line_ = {buffer_.data() + begin_, length};
      begin_ += length + 1;
      break;
    }
    searched += left;
    if (searched > max_line_bytes) {  // forget it; its end is still to come
      begin_ = end_;
      searched = 0;
      is_too_long_ = true;
    }
    if (!fill()) {
      if (begin_ == end_ && !is_too_long_) return false;
      line_ = {buffer_.data() + begin_, end_ - begin_};
      begin_ = end_;
      break;
    }
  }
  ++number_;
  if (is_too_long_) line_ = {};
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  return true;
}

}  // namespace scattergate::report
