#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "sim/programs/demo/caller.hpp"
#include "sim/programs/demo/tally.hpp"

namespace scattergate::sim::demo {

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
