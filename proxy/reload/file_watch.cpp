#include "proxy/reload/file_watch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "config/cluster/threads_left.hpp"
#include "net/unique_fd.hpp"
#include "proxy/process_signals.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

namespace fs = std::filesystem;
namespace log = telemetry::log;
using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// The time without a further change after which a change is reported.
constexpr milliseconds quiet_time{1'000};
/// The longest time that a change stays unreported, because files go on changing.
constexpr milliseconds longest_delay{60'000};
/// How often files are looked at without a notification.
constexpr milliseconds look_interval{10'000};
/// The pause after a notification, so that a busy folder costs little.
constexpr milliseconds pause_after_notice{100};

/// How long the destructor waits for the thread.
constexpr milliseconds end_patience{1'000};

void report_lateness(const std::string& why) {
  log::write(log::severity::warning, log::component::config, 3008,
             "Changed files are noticed late or not at all", {{"why", why}});
}

/// The names in each folder at which a change can give a path another content: the path's own
/// name, and each symbolic link on the way.
using watched_names = std::map<std::string, std::set<std::string>>;

/// Adds the names that `path` depends on. Follows symbolic links, up to Linux's limit.
void add_names(const std::string& path, watched_names& to) {
  constexpr int most_links = 40;
  std::error_code failed;
  fs::path rest = fs::absolute(path, failed).lexically_normal();
  for (int links = 0; links < most_links; ++links) {
    fs::path at;
    auto part = rest.begin();
    for (; part != rest.end(); ++part) {
      const fs::path next = at / *part;
      if (fs::is_symlink(fs::symlink_status(next, failed))) break;
      at = next;
    }
    if (part == rest.end()) {
      to[at.parent_path().string()].insert(at.filename().string());
      return;
    }
    to[at.string()].insert(part->string());
    fs::path target = at / fs::read_symlink(at / *part, failed);
    while (++part != rest.end()) target /= *part;
    rest = target.lexically_normal();
  }
}

/// The kernel's notifications about names in folders.
class folder_notices {
 public:
  /// Watches these names instead of earlier ones. Returns why inotify can't be used, or 0.
  [[nodiscard]] int watch(const watched_names& names) {
    if (!source_) source_ = net::unique_fd{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
    if (!source_) return errno;
    int refused = 0;
    auto before = std::exchange(names_, {});
    for (const auto& [folder, all] : names) {
      const int watch = ::inotify_add_watch(source_.get(), folder.c_str(), mask);
      if (watch >= 0) {
        names_[watch].insert(all.begin(), all.end());
        before.erase(watch);
      } else if (errno == ENOSPC || errno == ENOMEM) {
        refused =
            errno;  // another error is the folder's own, and lasts as long as it is missing
      }
    }
    for (const auto& [watch, all] : before) ::inotify_rm_watch(source_.get(), watch);
    std::erase_if(being_written_,
                  [this](const auto& file) { return !names_.contains(file.first); });
    return refused;
  }

  /// Takes all waiting notifications. Returns whether one is about a watched name or folder.
  [[nodiscard]] bool take() {
    bool is_relevant = false;
    alignas(inotify_event) std::array<char, 16UL << 10> block;
    for (;;) {
      const ssize_t size = ::read(source_.get(), block.data(), block.size());
      if (size <= 0) return is_relevant;
      for (const char* at = block.data(); at < block.data() + size;) {
        inotify_event event;
        std::memcpy(&event, at, sizeof event);
        const char* const name = at + sizeof event;
        is_relevant |= take(event, event.len == 0 ? std::string{} : std::string{name});
        at += sizeof event + event.len;
      }
    }
  }

  [[nodiscard]] int descriptor() const noexcept { return source_.get(); }
  /// Whether a program has begun to write a watched file, and hasn't closed it yet.
  [[nodiscard]] bool is_being_written() const noexcept { return !being_written_.empty(); }

 private:
  static constexpr std::uint32_t mask = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                        IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB |
                                        IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

  bool take(const inotify_event& event, const std::string& name) {
    if (name.empty() || (event.mask & IN_Q_OVERFLOW) != 0) return true;
    const auto folder = names_.find(event.wd);
    if (folder == names_.end() || !folder->second.contains(name)) return false;
    const std::pair<int, std::string> file{event.wd, name};
    if ((event.mask & IN_MODIFY) != 0) {
      being_written_.insert(file);
    } else {
      being_written_.erase(file);
    }
    return true;
  }

  net::unique_fd source_;
  std::map<int, std::set<std::string>> names_;           // by inotify's number of the folder
  std::set<std::pair<int, std::string>> being_written_;  // by the same number, and name
};

}  // namespace

/// The state that the thread and the owner share.
class file_watch::shared {
 public:
  explicit shared(handler on_change)
      : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), on_change_(std::move(on_change)) {}

  /// Called by the owner.
  void pass(config::files_read files, bool is_whole) {
    {
      const std::lock_guard lock(mutex_);
      if (is_whole) passed_.reset();
      if (!passed_) passed_.emplace();
      passed_is_whole_ = passed_is_whole_ || is_whole;
      passed_->insert(passed_->end(), files.begin(), files.end());
    }
    notify();
  }

  /// Called by the owner.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      on_change_ = nullptr;
    }
    notify();
  }

  /// Runs the thread.
  void run() {
    block_process_signals();
    log::set_thread_name("files");
    while (await()) look(clock::now());
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    ended_.notify_all();
  }

  /// Called by the owner after stop(). Returns false if the thread is still in a system call.
  [[nodiscard]] bool await_end() {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, end_patience, [this] { return has_ended_; });
  }

 private:
  void notify() const { ::eventfd_write(wake_.get(), 1); }

  /// Waits until it is time to look. Returns false if the owner has stopped the watch.
  bool await() {
    const auto now = clock::now();
    const auto until = settled_at_ ? std::min(*settled_at_, next_look_) : next_look_;
    const auto left = std::chrono::ceil<milliseconds>(until - now);
    std::array<pollfd, 2> sources{
        {{wake_.get(), POLLIN, 0}, {notices_.descriptor(), POLLIN, 0}}};
    const bool has_files = !used_.empty();
    ::poll(sources.data(), has_files ? 2 : 1,
           has_files ? static_cast<int>(std::max<std::int64_t>(left.count(), 0)) : -1);
    if (has_files && sources[1].revents != 0 && notices_.take()) {
      ::poll(sources.data(), 1, pause_after_notice.count());
      static_cast<void>(notices_.take());
      next_look_ = clock::now();
    }
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
    const std::lock_guard lock(mutex_);
    if (on_change_ == nullptr) return false;
    if (passed_) take_passed();
    return true;
  }

  /// Takes the files that the owner has passed. REQUIRES: mutex_ is locked.
  void take_passed() {
    if (passed_is_whole_) used_.clear();
    for (config::file_stamp& each : *passed_) {
      std::string path = each.path;
      used_.insert_or_assign(std::move(path), std::move(each));
    }
    passed_.reset();
    passed_is_whole_ = false;
    seen_.clear();
    settled_at_.reset();
    next_look_ = clock::now();
  }

  void look(clock::time_point now) {
    const bool is_due = settled_at_ && now >= *settled_at_;
    if (used_.empty() || (now < next_look_ && !is_due)) return;
    next_look_ = now + look_interval;
    auto current = used_;
    for (auto& [path, stamp] : current) stamp = config::stamp_of(path);
    if (current != seen_) {
      seen_ = std::move(current);
      watch_names();
      if (!settled_at_) changed_at_ = now;
      settled_at_ = std::min(now + quiet_time, changed_at_ + longest_delay);
      if (seen_ == used_) settled_at_.reset();
    }
    if (!settled_at_ || now < *settled_at_) return;
    if (notices_.is_being_written() && now < changed_at_ + longest_delay) {
      settled_at_ = now + quiet_time;
    } else {
      report();
    }
  }

  void watch_names() {
    watched_names names;
    for (const auto& [path, stamp] : seen_) add_names(path, names);
    const int refused = notices_.watch(names);
    if (refused != 0 && !is_polling_) {
      report_lateness("inotify: " + std::generic_category().message(refused));
    }
    is_polling_ = refused != 0;
  }

  void report() {
    std::vector<std::string> changed;
    for (const auto& [path, stamp] : seen_) {
      if (stamp != used_.at(path)) changed.push_back(path);
    }
    used_ = seen_;
    settled_at_.reset();
    const std::lock_guard lock(mutex_);
    if (on_change_ != nullptr) on_change_(std::move(changed));
  }

  using stamps = std::map<std::string, config::file_stamp>;

  net::unique_fd wake_;
  std::mutex mutex_;   // held while on_change_ is called
  handler on_change_;  // null: the owner has stopped the watch
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::optional<config::files_read> passed_;
  bool passed_is_whole_ = false;

  // Used by the thread only.
  stamps used_;  // as the files were when they were last used
  stamps seen_;  // as they were at the last look
  folder_notices notices_;
  bool is_polling_ = false;
  clock::time_point next_look_{};
  std::optional<clock::time_point> settled_at_;  // none: no change waits to be reported
  clock::time_point changed_at_{};               // when the change that waits was first seen
};

file_watch::file_watch(handler on_change)
    : shared_(std::make_shared<shared>(std::move(on_change))) {}

file_watch::~file_watch() {
  shared_->stop();
  if (is_started_ && !shared_->await_end()) config::threads_left.fetch_add(1);
}

void file_watch::follow(config::files_read files) {
  pass(std::move(files), true);
}

void file_watch::add(config::files_read files) {
  pass(std::move(files), false);
}

void file_watch::pass(config::files_read files, bool is_whole) {
  if (!is_started_ && files.empty()) return;
  shared_->pass(std::move(files), is_whole);
  if (is_started_) return;
  try {
    std::thread{[shared = shared_] { shared->run(); }}.detach();
    is_started_ = true;
  } catch (const std::system_error& failure) {
    report_lateness(failure.code().message());
  }
}

}  // namespace scattergate::proxy
