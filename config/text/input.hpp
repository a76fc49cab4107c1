#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "text/problem.hpp"

/// Reads files and streams in bounded memory, and checks whether files can be read.
namespace scattergate::config {

/// The size limit of a configuration file, in bytes.
inline constexpr std::size_t max_config_bytes = 1UL << 20;

/// The size limit of a catalog file, in bytes. Larger catalogs have their chunks in a
/// chunksFile.
inline constexpr std::size_t max_catalog_bytes = 128UL << 20;

/// Reads a whole file. Returns a problem with the place `path` if the file can't be read, is a
/// folder, or is larger than `max_bytes`. Reads pipes, too, but waits for each part of their
/// content at most five seconds.
[[nodiscard]] text::result<std::string> read_file(const std::string& path,
                                                  std::size_t max_bytes);

/// The size limit of a file with certificates or a private key, in bytes.
inline constexpr std::size_t max_pem_bytes = 16UL << 20;

/// Returns a problem with the place `path` if a file can't be opened for reading, is empty, or
/// isn't a regular file, such as a folder, or a pipe that could block its reader. Also if it is
/// larger than `max_bytes`. Doesn't read the file's content, which may be a private key.
[[nodiscard]] text::result<void> check_readable(const std::string& path, std::size_t max_bytes);

/// Returns a warning if every user of the host can read a file with a secret, otherwise
/// std::nullopt. Accepts a file that has no write permission for anyone (mode 0444), because
/// Kubernetes and Docker mount secrets like this, in containers without other users.
[[nodiscard]] std::optional<text::problem> secret_exposed(const std::string& path);

/// Reads a stream line by line, with at most `max_line_bytes` of each line in memory.
class line_reader {
 public:
  line_reader(std::istream& stream, std::size_t max_line_bytes)
      : stream_(stream), max_line_bytes_(max_line_bytes) {}

  /// Reads the next line, without its end (LF or CRLF). Returns false at the end of the stream.
  /// Also returns false on a read error, after which the stream is bad().
  [[nodiscard]] bool next();

  /// The current line; valid until the next call of next().
  [[nodiscard]] const std::string& line() const noexcept { return line_; }
  /// The current line's number, from 1.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }

  /// Whether the current line exceeded the limit; line() is then empty.
  [[nodiscard]] bool is_too_long() const noexcept { return too_long_; }

  /// Whether the current line is empty or has only blanks.
  [[nodiscard]] bool is_blank() const noexcept;

 private:
  [[nodiscard]] bool read_line();

  std::istream& stream_;
  std::size_t max_line_bytes_;
  std::string line_;
  std::size_t number_ = 0;
  bool too_long_ = false;
};

}  // namespace scattergate::config
