#include "telemetry/log/log_file.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "telemetry/patient_write.hpp"

namespace scattergate::telemetry::log {

text::result<net::unique_fd> log_file::open(const std::string& path) {
  if (path == "-") return net::unique_fd{};
  constexpr mode_t mode = 0640;
  // O_NONBLOCK: opening a FIFO without a reader fails at once.
  constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  std::error_code ignored;
  const auto folder = std::filesystem::path{path}.parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  net::unique_fd opened{::open(path.c_str(), flags, mode)};
  if (!opened) return text::failure(std::generic_category().message(errno));
  return opened;
}

void log_file::replace(net::unique_fd opened) {
  const std::lock_guard lock{mutex_};
  file_ = std::move(opened);
  tail_.clear();
  state_.lost_by.reset();
}

bool log_file::write(const std::string& line, bool counts) {
  const std::lock_guard lock{mutex_};
  const std::chrono::milliseconds patience{!state_.lost_by ? 1'000 : 0};
  const std::size_t tail_size = tail_.size();
  tail_ += line;
  const written_part done =
      write_patiently(file_ ? file_.get() : STDERR_FILENO, tail_, patience);
  state_.lost_by.reset();
  if (done.error != 0) state_.lost_by = text::failure(write_failure_text(done.error));
  const bool has_begun = done.bytes > tail_size;
  if (!has_begun) tail_.resize(tail_size);
  tail_.erase(0, done.bytes);
  if (!has_begun && counts) ++state_.lost_lines;
  return has_begun;
}

log_file::state log_file::now() const {
  const std::lock_guard lock{mutex_};
  return state_;
}

}  // namespace scattergate::telemetry::log
