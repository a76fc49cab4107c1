#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace scattergate::telemetry {

/// The names of the tests that are running, by worker of the test suite. A suite without
/// parallel workers has one worker, whose name is empty. Thread-safety: any thread.
class running_tests {
 public:
  static constexpr std::size_t most_workers = 256;  ///< begin() ignores further workers
  static constexpr std::size_t most_text = 256;     ///< names are truncated, in bytes

  /// A worker has begun a test; its previous test has ended.
  void begin(std::string_view worker, std::string_view test);
  /// A worker's test has ended.
  void end(std::string_view worker);

  /// The test that has sent a command: of the worker whose name is the client's application
  /// name; otherwise all running tests, separated by " | ", because any of them may have sent
  /// it. Empty if no test is running. Truncated to most_text.
  [[nodiscard]] std::string find(std::string_view app_name) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> by_worker_;
};

}  // namespace scattergate::telemetry
