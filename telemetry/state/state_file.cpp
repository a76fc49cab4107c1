#include "telemetry/state/state_file.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text/input.hpp"
#include "digest/stored.hpp"
#include "net/unique_fd.hpp"
#include "telemetry/history/history_text.hpp"
#include "text/time_text.hpp"

namespace scattergate::telemetry {
namespace {

namespace fs = std::filesystem;

std::string because(std::string_view what, int error) {
  return std::string{what} + ": " + std::generic_category().message(error);
}

/// What can be part of a file's name anywhere: 20261122T045123628Z.
std::string time_in_name() {
  std::string name;
  for (const char c : text::time_text(std::chrono::system_clock::now())) {
    if (c != '-' && c != ':' && c != '.') name += c;
  }
  return name;
}

bool write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// A new file with this content, on the disk. Returns what failed; errno says why.
std::string_view make_file(const std::string& path, std::string_view text) noexcept {
  constexpr mode_t mode = 0640;
  ::unlink(path.c_str());  // what a crash has left
  const net::unique_fd file{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
  if (!file) return "cannot be created";
  if (!write_all(file.get(), text)) return "cannot be written";
  return ::fsync(file.get()) == 0 ? std::string_view{} : "cannot be brought to the disk";
}

/// That there is another file now is on the disk only once its folder is.
void sync_folder_of(const std::string& path) noexcept {
  const std::string folder = fs::path{path}.parent_path().string();
  const net::unique_fd opened{
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (opened) ::fsync(opened.get());
}

std::string real_path(const std::string& path) {
  std::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  return failed || real.empty() ? path : real.string();
}

}  // namespace

state_file::state_file(std::string path) : path_(real_path(path)) {}

state_file::content state_file::read(std::size_t max_rows) {
  content found{digest::table{max_rows}, {}, {}, {}};
  std::error_code failed;
  const fs::file_status status = fs::status(path_, failed);
  if (status.type() == fs::file_type::not_found) return found;
  if (!fs::is_regular_file(status)) {
    found.error = path_ + ": " + (failed ? failed.message() : "no regular file");
    return found;
  }
  const config::file_content file =
      config::read_file(path_, digest::max_stored_bytes + history::max_bytes);
  std::string why = file.error;
  if (why.empty()) {
    read_history(file.text, found);
    digest::stored_digest read = digest::read_stored(file.text, max_rows);
    if (read.error.empty()) {
      found.rows = std::move(read.rows);
      return found;
    }
    why = std::move(read.error);
  }
  found.error = set_aside(why);
  return found;
}

/// A file from before there was a history has none.
void state_file::read_history(std::string_view text, content& to) const {
  const std::size_t begin = text.find("\n" + std::string{stored_history_begins});
  if (begin == text.npos) return;
  const std::string why = read_stored_history(text.substr(begin + 1), to.past);
  if (!why.empty()) to.history_error = path_ + ": " + why;
}

std::string state_file::set_aside(const std::string& why) const {
  const std::string aside = path_ + ".spoilt-" + time_in_name();
  if (std::rename(path_.c_str(), aside.c_str()) == 0) {
    return path_ + ": " + why + "; set aside as " + aside;
  }
  return path_ + ": " + why + "; " + because("cannot be set aside", errno);
}

std::string state_file::write(const std::string& text) const {
  std::error_code failed;
  const fs::file_status status = fs::status(path_, failed);
  if (fs::exists(status) && !fs::is_regular_file(status)) return path_ + ": no regular file";
  // Two processes may have the same file for the time of a handover.
  const std::string anew = path_ + ".new-" + std::to_string(::getpid());
  if (const auto what = make_file(anew, text); !what.empty()) {
    const int error = errno;
    ::unlink(anew.c_str());
    return because(anew + " " + std::string{what}, error);
  }
  if (std::rename(anew.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    ::unlink(anew.c_str());
    return because(path_ + " cannot be replaced", error);
  }
  sync_folder_of(path_);
  return {};
}

}  // namespace scattergate::telemetry
