#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace scattergate::app {

/// Shows on standard error how much of a file has been read. Shows nothing in the first second
/// after construction. Never shows anything if standard error isn't a terminal. The destructor
/// erases the bar.
class progress_bar {
 public:
  /// `name`: the file's name, which the bar shows.
  explicit progress_bar(std::string name);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// Updates the bar: `done` of `total` bytes have been read. `total`: 0 if the size is
  /// unknown. Call it as often as you like: the bar changes at most every 200 ms.
  void show(std::uint64_t done, std::uint64_t total);

 private:
  using clock = std::chrono::steady_clock;

  std::string name_;
  bool is_terminal_;
  bool is_shown_ = false;
  clock::time_point began_ = clock::now();
  clock::time_point shown_ = began_;
};

}  // namespace scattergate::app
