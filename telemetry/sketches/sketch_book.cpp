#include "telemetry/sketches/sketch_book.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <span>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text/input.hpp"
#include "net/failing_memory.hpp"
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

/// Sketches leave this fraction of the budget free for traffic: 1/share_left.
constexpr std::size_t share_left = 2;

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

sketch_book::~sketch_book() {
  memory_.release(set_.size() * digest::collection_sketches::max_bytes);
}

digest::collection_sketches* sketch_book::find_or_add(std::string_view database,
                                                      std::string_view collection) {
  if (auto* const found = set_.find(database, collection)) return found;
  constexpr std::size_t bytes = digest::collection_sketches::max_bytes;
  if (set_.size() == digest::sketch_set::max_collections ||
      !memory_.reserve(bytes, memory_.limit() / share_left)) {
    return nullptr;
  }
  digest::collection_sketches* made = nullptr;
  const bool is_made = net::done_unless_memory_fails([&] {
    by_number_.reserve(digest::sketch_set::max_collections);
    made = set_.find_or_add(database, collection);
  });
  if (!is_made) memory_.release(bytes);
  if (made != nullptr) by_number_.push_back(made);
  return made;
}

std::optional<std::uint32_t> sketch_book::number_of(std::string_view database,
                                                    std::string_view collection) {
  const std::lock_guard lock{mutex_};
  const auto* const found = find_or_add(database, collection);
  if (found == nullptr) return std::nullopt;
  const auto at = std::ranges::find(by_number_, found);
  return static_cast<std::uint32_t>(at - by_number_.begin());
}

std::optional<digest::sketched_field> sketch_book::admit(std::uint32_t collection,
                                                         std::string_view path) {
  const std::unique_lock lock{mutex_, std::try_to_lock};
  if (!lock) return std::nullopt;
  const auto admitted = by_number_[collection]->admit(path);
  version_.fetch_add(1, std::memory_order_relaxed);
  return admitted;
}

sketch_book::known_fields sketch_book::fields_of(std::uint32_t collection) const {
  const std::lock_guard lock{mutex_};
  return by_number_[collection]->known_fields();
}

void sketch_book::add(const sketch_batch& batch, wall_time now) noexcept {
  const auto minute = std::chrono::floor<std::chrono::minutes>(now).time_since_epoch().count();
  std::span<const digest::sketched_value> values{batch.values};
  const std::lock_guard lock{mutex_};
  for (digest::collection_sketches* each : by_number_) each->advance(minute);
  for (const sketch_batch::statement& each : batch.statements) {
    (void)net::done_unless_memory_fails([&] {
      by_number_[each.collection]->add(
          {values.first(each.values), each.weight, each.is_insert});
    });
    values = values.subspan(each.values);
  }
}

bool sketch_book::add(const digest::sketch_set& other) {
  if (other.salt_id() != salt_.id()) return false;
  const std::lock_guard lock{mutex_};
  for (const digest::collection_sketches* each : other.all()) {
    auto* const to = find_or_add(each->database(), each->collection());
    if (to != nullptr) to->add(*each);
  }
  version_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void sketch_book::read(const std::function<void(const digest::sketch_set&)>& at) const {
  const std::lock_guard lock{mutex_};
  at(set_);
}

}  // namespace scattergate::telemetry
