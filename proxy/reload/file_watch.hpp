#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/text/file_stamp.hpp"

namespace scattergate::proxy {

/// Watches files, and reports those that have changed: about a second after the last change, so
/// that a certificate and its key are reported together, and not while a program still writes
/// one of them (at most a minute). Notices a change at once by inotify, which watches the
/// folders of the files and of the symbolic links in their paths, such as Kubernetes' `..data`.
/// Where inotify reports nothing (network file systems, its limits), looks every ten seconds.
///
/// Works on a thread of its own, because a file system may hang. Thread-safety: construct, use
/// and destroy it on one thread.
class file_watch {
 public:
  /// Receives the paths of the changed files, on the watch's thread.
  using handler = std::function<void(std::vector<std::string>)>;

  /// Watches nothing until follow() is called.
  explicit file_watch(handler on_change);

  /// Waits at most a second for a file system that hangs. Doesn't call the handler any more.
  ~file_watch();
  file_watch(const file_watch&) = delete;
  file_watch& operator=(const file_watch&) = delete;

  /// Watches exactly these files from now on; none: stops watching. A file that has changed
  /// since its stamp is reported. The first call starts the thread. If the system refuses one,
  /// logs this, and watches nothing.
  void follow(config::files_read files);

  /// Watches these files in addition to those that it watches already.
  void add(config::files_read files);

 private:
  class shared;
  void pass(config::files_read files, bool is_whole);

  std::shared_ptr<shared> shared_;  // shared with the thread
  bool is_started_ = false;
};

}  // namespace scattergate::proxy
