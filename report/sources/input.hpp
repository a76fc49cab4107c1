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

/// The bytes of a file or of standard input. gzip and zstd are detected by the first bytes and
/// decompressed. A growing file is read up to its size at opening.
class input {
 public:
  /// `-` is standard input.
  explicit input(const std::string& path);
  ~input();

  /// Reads available bytes into `room`; returns 0 at the end or on failure, see problem().
  [[nodiscard]] std::size_t read(std::span<char> room);

  /// Fills `room` completely; false if there is less.
  [[nodiscard]] bool fill(std::span<char> room);

  /// The next bytes without consuming them; fewer than requested only at the end.
  [[nodiscard]] std::string_view peek(std::size_t bytes);

  /// Why the input can't be read completely, once read() has returned 0.
  [[nodiscard]] const std::optional<text::problem>& problem() const noexcept {
    return problem_;
  }

  /// Bytes of the stored (compressed) file read so far; and its size, 0 if unknown.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// By how much the file has grown since it was opened.
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

/// Reads an input line by line, in bounded memory.
class input_lines {
 public:
  /// MongoDB's longest log lines are about 16 MiB.
  static constexpr std::size_t max_line_bytes = 17UL << 20;

  /// Readable bytes after a line, which simdjson requires.
  static constexpr std::size_t padding = 64;

  explicit input_lines(input& from) : input_(from) {}

  /// Reads the next line; false if there is none.
  [[nodiscard]] bool next();

  /// The line without its end, valid until next(); `padding` bytes after it are readable.
  [[nodiscard]] std::string_view line() const noexcept { return line_; }
  [[nodiscard]] bool is_too_long() const noexcept { return is_too_long_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }  ///< counts from 1

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
