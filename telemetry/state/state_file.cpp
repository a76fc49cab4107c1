#include "telemetry/state/state_file.hpp"

#include <algorithm>
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
#include "digest/sketches/stored_sketches.hpp"
#include "digest/stored.hpp"
#include "net/unique_fd.hpp"
#include "telemetry/history/history_text.hpp"
#include "text/time_text.hpp"

namespace scattergate::telemetry {
namespace {

namespace fs = std::filesystem;

std::string message_of(int error) {
  return std::generic_category().message(error);
}

/// A time that is valid in file names everywhere: 20261122T045123628Z. Such names sort by time.
std::string name_of_time(std::chrono::system_clock::time_point at) {
  std::string name;
  for (const char c : text::time_text(at)) {
    if (c != '-' && c != ':' && c != '.') name += c;
  }
  return name;
}

constexpr std::string_view aside_suffix = ".corrupt-";

std::string aside_of(const std::string& path) {
  return path + std::string{aside_suffix} + name_of_time(std::chrono::system_clock::now());
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

/// Creates a file with this content and syncs it.
text::result<void> make_file(const std::string& path, std::string_view text) {
  constexpr mode_t mode = 0640;
  const auto failed = [&path](const char* what) {
    const int error = errno;
    return text::problem{path + " " + what, message_of(error)};
  };
  ::unlink(path.c_str());  // left over from a crash
  const net::unique_fd file{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
  if (!file) return failed("cannot be created");
  if (!write_all(file.get(), text)) return failed("cannot be written");
  if (::fsync(file.get()) != 0) return failed("cannot be synced to disk");
  return {};
}

/// Syncs the directory of a file: only then a new file's name is durable.
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
  content found = examine(max_rows);
  if (found.is_damaged) found.problem = set_aside(text::failure(found.problem->what));
  if (!found.problem) keep_copy_of_damaged(found);
  return found;
}

state_file::content state_file::examine(std::size_t max_rows) const {
  const auto damaged = [this](content& in, const std::string& what) {
    in.problem = text::problem{path_, what};
    in.is_damaged = true;
  };
  content found{.rows = digest::table{max_rows}};
  std::error_code failed;
  const fs::file_status status = fs::status(path_, failed);
  if (status.type() == fs::file_type::not_found) return found;
  if (!fs::is_regular_file(status)) {
    found.problem = text::problem{path_, failed ? failed.message() : "not a regular file"};
    return found;
  }
  const auto text =
      config::read_file(path_, digest::max_stored_bytes + digest::max_stored_sketches_bytes +
                                   history::max_bytes + fleet::max_ledger_bytes);
  if (!text) {
    damaged(found, text.error().what);
    return found;
  }
  if (text->empty()) {
    damaged(found, "empty");
    return found;
  }
  const std::string_view all{*text};
  const std::size_t ledger =
      std::min(all.find("\n" + std::string{fleet::stored_ledger_begins}), all.size() - 1);
  read_history(all.substr(0, ledger + 1), found);
  read_ledger(all.substr(ledger + 1), found);
  read_sketches(*text, found);
  digest::stored_digest read = digest::read_stored(*text, max_rows);
  if (read.end) {
    damaged(found, to_string(*read.end));
  } else {
    found.rows = std::move(read.rows);
  }
  return found;
}

/// Keeps a copy of a file with a damaged part: the next write replaces the file.
void state_file::keep_copy_of_damaged(const content& found) const {
  if (!found.history_problem && !found.ledger_problem && !found.sketches_problem) return;
  std::error_code ignored;  // without a copy, the condition still says what is damaged
  fs::create_hard_link(path_, aside_of(path_), ignored);
}

std::string state_file::set_aside_since(std::chrono::system_clock::time_point since) const {
  const fs::path path{path_};
  const std::string prefix = path.filename().string() + std::string{aside_suffix};
  std::string last = prefix + name_of_time(since);
  std::string found;
  std::error_code failed;
  fs::directory_iterator each{path.parent_path(), failed};
  for (; !failed && each != fs::directory_iterator{}; each.increment(failed)) {
    const std::string name = each->path().filename().string();
    if (!name.starts_with(prefix) || name <= last) continue;
    last = name;
    found = each->path().string();
  }
  return found;
}

/// Reads the history. A file of an older version has none.
void state_file::read_history(std::string_view text, content& to) const {
  const std::size_t begin = text.find("\n" + std::string{stored_history_begins});
  if (begin == text.npos) return;
  const auto read = read_stored_history(text.substr(begin + 1), to.past);
  if (!read) to.history_problem = text::problem{path_, to_string(read.error())};
}

/// Reads the fleet's ledger. Without a fleet, the file has none.
void state_file::read_ledger(std::string_view text, content& to) const {
  if (text.empty()) return;
  auto read = fleet::read_stored_ledger(text);
  if (read) {
    to.ledger = *std::move(read);
  } else {
    to.ledger_problem = text::problem{path_, to_string(read.error())};
  }
}

void state_file::read_sketches(std::string_view text, content& to) const {
  const std::string_view stored = digest::sketches_in(text);
  if (stored.empty()) return;
  auto read = digest::read_stored_sketches(stored);
  if (read) {
    to.sketches = *std::move(read);
  } else {
    to.sketches_problem = text::problem{path_, to_string(read.error())};
  }
}

/// Renames the file, and returns the problem to report.
text::problem state_file::set_aside(const text::problem& because) const {
  const std::string aside = aside_of(path_);
  const bool is_moved = std::rename(path_.c_str(), aside.c_str()) == 0;
  const int error = errno;
  return {path_, to_string(because) + "; " +
                     (is_moved ? "set aside as " + aside
                               : "cannot be set aside: " + message_of(error))};
}

text::result<void> state_file::write(const std::string& text) const {
  std::error_code failed;
  const fs::file_status status = fs::status(path_, failed);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return text::problem{path_, "not a regular file"};
  }
  // During a handover two processes may use the same file.
  const std::string anew = path_ + ".new-" + std::to_string(::getpid());
  if (auto made = make_file(anew, text); !made) {
    ::unlink(anew.c_str());
    return made;
  }
  if (std::rename(anew.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    ::unlink(anew.c_str());
    return text::problem{path_ + " cannot be replaced", message_of(error)};
  }
  sync_folder_of(path_);
  return {};
}

}  // namespace scattergate::telemetry
