#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "text/problem.hpp"

namespace scattergate::report {

/// The reason why reading a source ended.
struct read_end {
  std::optional<text::problem> problem{};  ///< why data is missing; std::nullopt: complete
  double missing_share = 0.0;              ///< the missing part of a capture's bytes: 0 to 1
  /// The log threshold (100 ms), if each logged operation took at least that long: the log
  /// seems to lack faster ones. Otherwise std::nullopt.
  std::optional<std::chrono::milliseconds> threshold{};
};

/// How many bytes of an input are read at a time.
inline constexpr std::size_t input_block_bytes = 256 * 1024;

/// Decompresses a stream of gzip or zstd. Reads consecutive gzip members or zstd frames, which
/// log tools write, as one stream.
class unpacked {
 public:
  /// Reads available compressed bytes into the span and returns their number; 0 at the end.
  using reader = std::function<std::size_t(std::span<char>)>;

  /// Creates a decompressor for a stream; null if the stream isn't compressed. `begins`: the
  /// stream's first four bytes, which show the method. `from`: reads the stream from its
  /// beginning.
  [[nodiscard]] static std::unique_ptr<unpacked> of(std::string_view begins, reader from);

  virtual ~unpacked() = default;

  /// Reads available decompressed bytes into `room` and returns their number; 0 at the end, or
  /// if is_corrupt().
  [[nodiscard]] virtual std::size_t read(std::span<char> room) = 0;

  /// Whether the stream is truncated or invalid.
  [[nodiscard]] virtual bool is_corrupt() const noexcept = 0;
};

/// The bytes of a file or of standard input. Detects gzip and zstd by the first bytes and
/// decompresses them. Reads a growing file up to its size at opening.
class input {
 public:
  /// `path`: a file, or "-" for standard input. On failure, problem() is set.
  explicit input(const std::string& path);
  ~input();

  /// Reads available bytes into `room` and returns their number. 0 at the end, or on failure;
  /// then problem() has the reason.
  [[nodiscard]] std::size_t read(std::span<char> room);

  /// Fills `room` completely. Returns false if the input ends earlier.
  [[nodiscard]] bool fill(std::span<char> room);

  /// The next bytes, without consuming them; fewer than `bytes` only at the end or on failure.
  /// Valid until the next call of read(), fill() or peek().
  [[nodiscard]] std::string_view peek(std::size_t bytes);

  /// Why the input can't be read completely; std::nullopt: no failure. Final once read() has
  /// returned 0.
  [[nodiscard]] const std::optional<text::problem>& problem() const noexcept {
    return problem_;
  }

  /// The number of bytes read so far from the stored file, before decompression.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;
  /// The size of the stored file in bytes, before decompression; 0 if unknown.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// The number of bytes by which the file has grown since it was opened; 0 for other inputs.
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
  /// The longest line that is read, in bytes. MongoDB's longest log lines are about 16 MiB.
  static constexpr std::size_t max_line_bytes = 17UL << 20;

  /// Number of readable bytes after each line, which simdjson (the JSON parser) requires.
  static constexpr std::size_t padding = 64;

  /// `from` must outlive this object.
  explicit input_lines(input& from) : input_(from) {}

  /// Reads the next line; returns false if there is none. If the file has grown since it was
  /// opened, doesn't read an incomplete last line.
  [[nodiscard]] bool next();

  /// The line without its line break, valid until next(). `padding` bytes after it are
  /// readable. Empty if is_too_long().
  [[nodiscard]] std::string_view line() const noexcept { return line_; }
  /// Whether the line is longer than max_line_bytes.
  [[nodiscard]] bool is_too_long() const noexcept { return is_too_long_; }
  /// The line's number, from 1.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

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
