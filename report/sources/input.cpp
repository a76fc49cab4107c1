#include "report/sources/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

namespace scattergate::report {
namespace {

constexpr std::string_view gzip_magic{"\x1f\x8b", 2};          // RFC 1952, 2.3.1
constexpr std::string_view zstd_magic{"\x28\xb5\x2f\xfd", 4};  // RFC 8878, 3.1.1

/// The common part of both methods: a block of compressed bytes, refilled when used up.
template <typename Method>
class unpacked_by final : public unpacked {
 public:
  explicit unpacked_by(reader from) : from_(std::move(from)), block_(input_block_bytes, '\0') {}

  std::size_t read(std::span<char> room) override {
    while (!is_corrupt_ && !is_over_ && !room.empty()) {
      if (packed_.empty()) refill();
      const bool is_last = packed_.empty();  // the decompressor may still hold output
      const bool is_done = is_last && !method_.is_inside();
      const std::size_t made = is_done ? 0 : method_.unpack(packed_, room);
      is_corrupt_ = method_.has_failed();
      if (made != 0) return made;
      is_over_ = is_last;
      is_corrupt_ = is_corrupt_ || (is_last && method_.is_inside());
    }
    return 0;
  }

  [[nodiscard]] bool is_corrupt() const noexcept override { return is_corrupt_; }

 private:
  void refill() { packed_ = {block_.data(), from_(block_)}; }

  Method method_;
  reader from_;
  std::string block_;
  std::span<char> packed_;
  bool is_over_ = false;
  bool is_corrupt_ = false;
};

class gzip_method {
 public:
  gzip_method() {
    constexpr int gzip_window = MAX_WBITS + 16;
    has_failed_ = inflateInit2(&state_, gzip_window) != Z_OK;
  }
  ~gzip_method() { inflateEnd(&state_); }
  gzip_method(const gzip_method&) = delete;
  gzip_method& operator=(const gzip_method&) = delete;

  std::size_t unpack(std::span<char>& packed, std::span<char> room) {
    if (!is_inside_) inflateReset(&state_);
    is_inside_ = true;
    state_.next_in = reinterpret_cast<Bytef*>(packed.data());
    state_.avail_in = static_cast<uInt>(packed.size());
    state_.next_out = reinterpret_cast<Bytef*>(room.data());
    state_.avail_out = static_cast<uInt>(room.size());
    const int result = inflate(&state_, Z_NO_FLUSH);
    packed = packed.last(state_.avail_in);
    if (result == Z_STREAM_END) is_inside_ = false;
    has_failed_ = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
    return room.size() - state_.avail_out;
  }
  [[nodiscard]] bool is_inside() const noexcept { return is_inside_; }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

 private:
  z_stream state_{};
  bool is_inside_ = false;
  bool has_failed_ = false;
};

class zstd_method {
 public:
  std::size_t unpack(std::span<char>& packed, std::span<char> room) {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    const std::size_t left = ZSTD_decompressStream(state_.get(), &out, &in);
    packed = packed.subspan(in.pos);
    has_failed_ = ZSTD_isError(left) != 0;
    is_inside_ = left != 0;
    return out.pos;
  }
  [[nodiscard]] bool is_inside() const noexcept { return is_inside_; }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

 private:
  struct deleter {
    void operator()(ZSTD_DStream* state) const noexcept { ZSTD_freeDStream(state); }
  };
  std::unique_ptr<ZSTD_DStream, deleter> state_{ZSTD_createDStream()};
  bool is_inside_ = false;
  bool has_failed_ = false;
};

constexpr auto any_size = std::numeric_limits<std::uint64_t>::max();

/// For a file: the number of bytes after the current position.
std::optional<std::uint64_t> size_of(int fd) {
  struct stat about {};
  if (::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  const off_t begin = std::max<off_t>(::lseek(fd, 0, SEEK_CUR), 0);
  return static_cast<std::uint64_t>(std::max<off_t>(about.st_size - begin, 0));
}

}  // namespace

std::unique_ptr<unpacked> unpacked::of(std::string_view begins, reader from) {
  if (begins.starts_with(gzip_magic)) {
    return std::make_unique<unpacked_by<gzip_method>>(std::move(from));
  }
  if (begins.starts_with(zstd_magic)) {
    return std::make_unique<unpacked_by<zstd_method>>(std::move(from));
  }
  return nullptr;
}

/// Reads a file descriptor's bytes in blocks, and counts them.
class input::counting_file {
 public:
  /// Reads at most `most` bytes.
  counting_file(int fd, bool is_owned, std::uint64_t most)
      : fd_(fd), is_owned_(is_owned), most_(most) {}
  ~counting_file() {
    if (is_owned_) ::close(fd_);
  }
  counting_file(const counting_file&) = delete;
  counting_file& operator=(const counting_file&) = delete;

  std::size_t read(std::span<char> room) {
    if (begin_ == end_) {
      if (room.size() >= block_.size()) return read_file(room);
      begin_ = end_ = 0;
      end_ = read_file(block_);
    }
    const std::size_t bytes = std::min(room.size(), end_ - begin_);
    std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(begin_), bytes, room.begin());
    begin_ += bytes;
    return bytes;
  }

  /// The first bytes of the file. REQUIRES: nothing has been read.
  std::string_view look(std::size_t bytes) {
    while (end_ < bytes) {
      const std::size_t more = read_file(std::span{block_}.subspan(end_));
      if (more == 0) break;
      end_ += more;
    }
    return std::string_view{block_}.substr(0, std::min(bytes, end_));
  }

  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  /// Whether the file has become shorter since it was opened.
  [[nodiscard]] bool is_short() const noexcept { return is_at_end_ && most_ != any_size; }
  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  [[nodiscard]] int error() const noexcept { return errno_; }

 private:
  std::size_t read_file(std::span<char> room) {
    const auto requested =
        static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), most_ - bytes_read_));
    ssize_t bytes = 0;
    do {
      bytes = ::read(fd_, room.data(), requested);
    } while (bytes < 0 && errno == EINTR);
    if (bytes < 0) errno_ = errno;
    if (bytes == 0 && requested != 0) is_at_end_ = true;
    if (bytes <= 0) return 0;
    bytes_read_ += static_cast<std::uint64_t>(bytes);
    return static_cast<std::size_t>(bytes);
  }

  int fd_;
  bool is_owned_;
  std::uint64_t most_;
  bool is_at_end_ = false;
  std::string block_ = std::string(input_block_bytes, '\0');
  std::size_t begin_ = 0;  ///< start of the unread part
  std::size_t end_ = 0;
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
    problem_ = text::failure(std::strerror(errno));
    return;
  }
  const std::optional<std::uint64_t> size = size_of(fd);
  size_ = size.value_or(0);
  // Pipes and the files of /proc report no size.
  file_ = std::make_unique<counting_file>(fd, !is_standard, size_ == 0 ? any_size : size_);
  struct stat about {};
  if (::fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) {
    problem_ = text::failure(std::strerror(EISDIR));
    return;
  }
  constexpr std::size_t signature_bytes = 4;
  const std::string begins{file_->look(signature_bytes)};
  unpacked_ = unpacked::of(begins, [this](std::span<char> room) { return file_->read(room); });
}

std::size_t input::read_unpacked(std::span<char> room) {
  const std::size_t bytes = unpacked_ ? unpacked_->read(room) : file_->read(room);
  if (bytes == 0 && file_->error() != 0) {
    problem_ = text::failure(std::strerror(file_->error()));
  }
  if (!problem_ && bytes == 0 && file_->is_short()) {
    problem_ = text::failure("it was truncated while being read");
  }
  if (!problem_ && unpacked_ && unpacked_->is_corrupt()) {
    problem_ = text::failure("the compressed data is truncated or corrupt");
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
  return problem_ ? 0 : read_unpacked(room);
}

bool input::fill(std::span<char> room) {
  while (!room.empty()) {
    const std::size_t bytes = read(room);
    if (bytes == 0) return false;
    room = room.subspan(bytes);
  }
  return true;
}

std::string_view input::peek(std::size_t bytes) {
  std::string block(bytes, '\0');
  while (peeked_.size() < bytes && !problem_) {
    const std::size_t more = read_unpacked({block.data(), bytes - peeked_.size()});
    if (more == 0) break;
    peeked_.append(block, 0, more);
  }
  return std::string_view{peeked_}.substr(0, bytes);
}

std::uint64_t input::grown_bytes() const noexcept {
  if (!file_ || size_ == 0) return 0;
  const std::uint64_t now =
      bytes_read() + size_of(file_->descriptor()).value_or(0);  // total, including what was
                                                                // read
  return now > size_ ? now - size_ : 0;
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
  if (buffer_.size() < end_ + input_block_bytes + padding) {
    buffer_.resize(std::max(buffer_.size() * 2, end_ + input_block_bytes + padding));
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
      if (input_.grown_bytes() != 0) return false;  // the line isn't complete yet
      line_ = {buffer_.data() + begin_, end_ - begin_};
      begin_ = end_;
      break;
    }
  }
  ++number_;
  is_too_long_ = is_too_long_ || line_.size() > max_line_bytes;
  if (is_too_long_) line_ = {};
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  return true;
}

}  // namespace scattergate::report
