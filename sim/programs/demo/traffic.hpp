#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "sim/programs/demo/applications.hpp"
#include "sim/programs/demo/driver.hpp"

namespace scattergate::sim::demo {

/// Shows the progress of the demo's traffic on standard error. On a terminal, updates one line.
/// Otherwise, prints a line after each tenth of the requests.
class progress {
 public:
  /// `total`: the planned number of requests. Starts the clock for the shown duration.
  explicit progress(std::uint64_t total);

  /// Shows that `done` requests have completed.
  void show(std::uint64_t done);
  /// Shows the final number of requests, and ends the line.
  void finish(std::uint64_t done);

 private:
  void print(std::uint64_t done, const char* end) const;

  std::uint64_t total_;
  bool is_terminal_;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t next_tenth_ = 1;
};

/// How much traffic to send, and where. Sending stops at the first limit (`requests` or
/// `at_most`) that is reached.
struct plan {
  std::string uri;                 ///< the cluster's connection string
  std::uint64_t seed = 1;          ///< determines the random choices
  std::uint64_t requests = 0;      ///< the maximum number of requests
  std::chrono::seconds at_most{};  ///< the maximum duration
};

/// The result of sending the traffic.
struct outcome {
  tally sent;                  ///< all commands sent
  std::uint64_t requests = 0;  ///< the number of completed requests
  std::string failure;         ///< the error that ended the traffic early; empty: none
};

/// Sends the requests of all applications; each thread has its own connection. A request
/// consists of one or more commands. Stops at the first failure. Returns when all threads have
/// ended. Until then, calls `report` a few times a second on the calling thread, with the
/// number of completed requests.
[[nodiscard]] outcome send_traffic(const plan& plan, const dataset& data,
                                   const std::function<void(std::uint64_t)>& report);

}  // namespace scattergate::sim::demo
