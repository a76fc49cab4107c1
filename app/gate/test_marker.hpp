#pragma once

#include <memory>
#include <string>

#include "telemetry/shapes/running_tests.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// A small HTTP server on a free port of the loopback address, by which a test suite in any
/// language says which test is running (`scattergate gate --test-marker`):
///
///   - PUT or POST with the test's name as the body: the test has begun, and the previous one
///     has ended. An empty body, or DELETE: the test has ended
///   - the query `?worker=NAME` names one of several parallel workers of the suite
///
/// Has a thread of its own. Limits the size of requests, the number of connections, and the
/// time of a request.
class test_marker {
 public:
  test_marker();
  ~test_marker();  ///< stops the server
  test_marker(const test_marker&) = delete;
  test_marker& operator=(const test_marker&) = delete;

  /// Starts the server. Returns a problem if no port or thread is available.
  [[nodiscard]] text::result<void> start();
  /// The URL for the requests. REQUIRES: start() succeeded.
  [[nodiscard]] std::string url() const;
  /// The tests that are running.
  [[nodiscard]] std::shared_ptr<const telemetry::running_tests> tests() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::app
