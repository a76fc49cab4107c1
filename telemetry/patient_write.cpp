#include "telemetry/patient_write.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace scattergate::telemetry {

written_part write_patiently(int fd, std::string_view text,
                             std::chrono::milliseconds patience) noexcept {
  // A pipe that polls writable takes a write of up to PIPE_BUF bytes whole.
  const std::size_t chunk = is_regular_file(fd) ? text.size() : std::size_t{PIPE_BUF};
  const auto give_up = std::chrono::steady_clock::now() + patience;
  written_part done;
  while (done.bytes < text.size()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        give_up - std::chrono::steady_clock::now());
    pollfd writable{fd, POLLOUT, 0};
    errno = EAGAIN;
    const int ready = ::poll(&writable, 1, std::max(0, static_cast<int>(left.count())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    const ssize_t n =
        ::write(fd, text.data() + done.bytes, std::min(chunk, text.size() - done.bytes));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
      if (left.count() <= 0) break;
      continue;
    }
    if (n <= 0) break;
    done.bytes += static_cast<std::size_t>(n);
  }
  if (done.bytes < text.size()) done.error = errno;
  return done;
}

std::string write_failure_text(int error) {
  return error == EAGAIN ? "nothing reads from the pipe"
                         : std::generic_category().message(error);
}

net::unique_fd open_for_append(const std::string& path) noexcept {
  constexpr mode_t mode = 0640;
  constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  return net::unique_fd{::open(path.c_str(), flags, mode)};
}

bool is_regular_file(int fd) noexcept {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace scattergate::telemetry
