#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/sources/unpacked.hpp"
#include "text/problem.hpp"

namespace scattergate::report {

/// The bytes of a file or of standard input, gzip and zstd unpacked, as told by its first
/// bytes. A file that grows is read to the size that it had when it was opened.
class input {
 public:
  /// `-` is standard input.
  explicit input(const std::string& path);
  ~input();

  /// Fills as much of `room` as there is; 0 at the end, or where a problem() tells why there is
  /// no more.
  [[nodiscard]] std::size_t read(std::span<char> room);

  /// Fills `room` to its end; false where there isn't so much.
  [[nodiscard]] bool fill(std::span<char> room);

  /// The next bytes, at most so many, which stay to be read: fewer only at the end.
  [[nodiscard]] std::string_view peek(std::size_t bytes);

  /// Why it can't be read, or not to its end, once read() gives nothing more.
  [[nodiscard]] const std::optional<text::problem>& problem() const noexcept {
    return problem_;
  }

  /// Of the file as it is stored: how much has been read; its size, 0 where that isn't known.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// By how much the file has grown since it was opened, as it is now.
  [[nodiscard]] std::uint64_t grown_bytes() const noexcept;

 private:
  class counting_file;

  void open(const std::string& path);
  [[nodiscard]] std::size_t read_unpacked(std::span<char> room);

  std::unique_ptr<counting_file> file_;
  std::unique_ptr<unpacked> unpacked_;
  std::string peeked_;
  std::uint64_t size_ = 0;
  std::optional<text::problem> problem_;
};

/// Lines of an input, in bounded memory.
class input_lines {
 public:
  /// MongoDB's longest log line is some 16 MiB.
  static constexpr std::size_t max_line_bytes = 17UL << 20;

  /// Bytes behind a line that may be looked at, as simdjson does.
  static constexpr std::size_t padding = 64;

  explicit input_lines(input& from) : input_(from) {}

  /// The next line, without its end; false where there is none.
  [[nodiscard]] bool next();

  /// Valid until next(); `padding` bytes behind it may be read.
  [[nodiscard]] std::string_view line() const noexcept { return line_; }
  [[nodiscard]] bool is_too_long() const noexcept { return is_too_long_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }  ///< from 1

 private:
  [[nodiscard]] bool fill();

  input& input_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string_view line_;
  std::uint64_t number_ = 0;
  bool is_too_long_ = false;
  bool is_at_end_ = false;
};

}  // namespace scattergate::report
