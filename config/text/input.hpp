#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "text/problem.hpp"

/// Reads files in bounded memory.
namespace scattergate::config {

/// The size limit of a configuration file.
inline constexpr std::size_t max_config_bytes = 1UL << 20;

/// The size limit of a catalog file. Larger catalogs keep their chunks in a chunksFile.
inline constexpr std::size_t max_catalog_bytes = 128UL << 20;

/// Reads a whole file of at most `max_bytes`. The problem's place is `path`.
[[nodiscard]] text::result<std::string> read_file(const std::string& path,
                                                  std::size_t max_bytes);

/// Checks that a file can be opened for reading and is neither empty nor a folder. Doesn't read
/// it, because it may be a private key. The problem's place is `path`.
[[nodiscard]] text::result<void> check_readable(const std::string& path);

/// A warning if every user of the host can read a file with a secret. A file without write
/// permissions (mode 0444) passes, because Kubernetes and Docker mount secrets like this, in
/// containers without other users.
[[nodiscard]] std::optional<text::problem> secret_exposed(const std::string& path);

/// Reads a stream line by line, buffering at most `max_line_bytes` of each.
class line_reader {
 public:
  line_reader(std::istream& stream, std::size_t max_line_bytes)
      : stream_(stream), max_line_bytes_(max_line_bytes) {}

  /// Reads the next line, without its end (LF or CRLF). False at the end, and on a read error,
  /// which leaves the stream bad().
  [[nodiscard]] bool next();

  [[nodiscard]] const std::string& line() const noexcept { return line_; }
  [[nodiscard]] std::size_t number() const noexcept { return number_; }  ///< from 1

  /// Whether the line exceeded the limit; it is then skipped and empty.
  [[nodiscard]] bool is_too_long() const noexcept { return too_long_; }

  /// Whether the line has nothing but blanks.
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
