#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace scattergate::app {

/// How far reading a file has come, on a terminal's standard error, once it takes longer than a
/// second; silent in a pipe. Gone when it is.
class progress_bar {
 public:
  explicit progress_bar(std::string name);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// `whole` 0: not known.
  void show(std::uint64_t done, std::uint64_t whole);

 private:
  using clock = std::chrono::steady_clock;

  std::string name_;
  bool is_terminal_;
  bool is_shown_ = false;
  clock::time_point began_ = clock::now();
  clock::time_point shown_ = began_;
};

}  // namespace scattergate::app
