#include "telemetry/sketches/salt_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text/input.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::telemetry {
namespace {

constexpr std::size_t max_salt_bytes = 1024;
constexpr mode_t salt_mode = 0600;

std::string message_of(int error) {
  return std::generic_category().message(error);
}

text::result<digest::salt> read_salt(const std::string& path) {
  const auto text = config::read_file(path, max_salt_bytes);
  if (!text) return text.error();
  const auto found = digest::salt::from(*text);
  if (!found) return text::problem{path, "not a salt: expected 32 hexadecimal digits"};
  return *found;
}

/// Creates the file under another name first, so that no process reads a half-written one.
/// Doesn't replace an existing file.
text::result<void> make_salt(const std::string& path) {
  const std::string fresh = path + ".new-" + std::to_string(::getpid());
  const auto failed = [&path](int error) {
    return text::problem{path, "cannot be created: " + message_of(error)};
  };
  ::unlink(fresh.c_str());  // left over from a crash
  net::unique_fd file{
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, salt_mode)};
  if (!file) return failed(errno);
  const std::string text = digest::salt::random().text() + "\n";
  const bool is_written =
      ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(file.get()) == 0;
  const int write_error = errno;
  const bool is_linked = is_written && ::link(fresh.c_str(), path.c_str()) == 0;
  const int link_error = errno;
  ::unlink(fresh.c_str());
  if (!is_written) return failed(write_error);
  if (!is_linked && link_error != EEXIST) return failed(link_error);
  return {};
}

}  // namespace

text::result<digest::salt> salt_in(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    if (const auto made = make_salt(path); !made) return made.error();
  }
  return read_salt(path);
}

std::optional<text::problem> salt_file_problem(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return std::nullopt;
  if (auto exposed = salt_exposed(path)) return exposed;
  const auto read = read_salt(path);
  return read ? std::nullopt : std::optional{read.error()};
}

std::optional<text::problem> salt_exposed(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  constexpr mode_t of_others = S_IRWXG | S_IRWXO;
  if ((found.st_mode & of_others) == 0) return std::nullopt;
  std::array<char, 8> mode{};
  std::snprintf(mode.data(), mode.size(), "%04o", found.st_mode & 07777U);
  return text::problem{path,
                       "has mode " + std::string{mode.data()} +
                           ": anyone who can read it can guess values from sketches; run: "
                           "chmod 0600 " +
                           path};
}

}  // namespace scattergate::telemetry
