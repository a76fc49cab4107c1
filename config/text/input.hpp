#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "text/problem.hpp"

/// Reading from files in bounded memory.
namespace scattergate::config {

/// The largest configuration file.
inline constexpr std::size_t max_config_bytes = 1UL << 20;

/// The largest catalog file; what is larger keeps its chunks in a chunksFile.
inline constexpr std::size_t max_catalog_bytes = 128UL << 20;

/// Reads a whole file of at most `max_bytes`. A problem is at `path`.
[[nodiscard]] text::result<std::string> read_file(const std::string& path,
                                                  std::size_t max_bytes);

/// Whether a file can be read, found without reading it (it may hold a private key). A problem
/// is at `path`.
[[nodiscard]] text::result<void> check_readable(const std::string& path);

/// That a file with a secret is no secret: every user of the host can read it, and its owner
/// can write it. Mode 0444 passes: Kubernetes and Docker mount secrets so, in containers
/// without other users.
[[nodiscard]] std::optional<text::problem> secret_exposed(const std::string& path);

/// Reads a stream line by line, never holding more of one than `max_line_bytes`.
class line_reader {
 public:
  line_reader(std::istream& stream, std::size_t max_line_bytes)
      : stream_(stream), max_line_bytes_(max_line_bytes) {}

  /// The next line, without its end (LF or CRLF); false when there is none, and where
  /// reading fails, which leaves the stream bad().
  [[nodiscard]] bool next();

  [[nodiscard]] const std::string& line() const noexcept { return line_; }
  [[nodiscard]] std::size_t number() const noexcept { return number_; }  ///< from 1

  /// Whether the line was longer than allowed; it is empty then, and skipped.
  [[nodiscard]] bool is_too_long() const noexcept { return too_long_; }

  /// Whether nothing but blanks is on the line.
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
