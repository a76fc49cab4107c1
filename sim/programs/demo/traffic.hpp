#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "sim/programs/demo/caller.hpp"
#include "sim/programs/demo/tally.hpp"

namespace scattergate::sim::demo {

/// The commands to send, and the limits: traffic stops at the first one reached.
struct plan {
  std::string uri;
  std::uint64_t seed = 1;
  std::uint64_t requests = 0;
  std::chrono::seconds at_most{};
};

struct outcome {
  tally sent;
  std::uint64_t requests = 0;
  std::string failure;  ///< what ended it early; empty: nothing
};

/// Sends the requests of all applications, each thread over its own connection, and returns
/// when all have ended. A request is one or more commands. Calls `report` with the number of
/// completed requests a few times a second, on the calling thread.
[[nodiscard]] outcome send_traffic(const plan& plan, const dataset& data,
                                   const std::function<void(std::uint64_t)>& report);

}  // namespace scattergate::sim::demo
