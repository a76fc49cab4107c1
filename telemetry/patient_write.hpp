#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "net/unique_fd.hpp"

namespace scattergate::telemetry {

/// The result of write_patiently().
struct written_part {
  std::size_t bytes = 0;  ///< number of bytes written
  int error =
      0;  ///< if not all were written, the errno; EAGAIN: the pipe's reader doesn't read
};

/// Writes `text` to a file or pipe, or as much of it as the reader takes within `patience`. A
/// disk may take longer. The calling thread must block SIGPIPE.
[[nodiscard]] written_part write_patiently(int fd, std::string_view text,
                                           std::chrono::milliseconds patience) noexcept;

/// The cause of a failed write, for people: for EAGAIN that the pipe isn't read, otherwise the
/// system's text.
[[nodiscard]] std::string write_failure_text(int error);

/// Opens a file for appending; creates it with mode 0640. Opening a FIFO without a reader fails
/// at once (O_NONBLOCK), and an unread FIFO can't block the thread. On failure, the result is
/// empty, and errno has the reason.
[[nodiscard]] net::unique_fd open_for_append(const std::string& path) noexcept;

/// Whether `fd` is a regular file, not a pipe or device.
[[nodiscard]] bool is_regular_file(int fd) noexcept;

}  // namespace scattergate::telemetry
