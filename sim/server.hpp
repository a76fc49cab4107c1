#pragma once

#include <functional>
#include <string>

#include "sim/simulator.hpp"

namespace scattergate::sim {

/// Serves the simulator on `host:port` or `[v6]:port` until SIGTERM or SIGINT. `ready` is told
/// the bound address. One thread does it all.
/// Throws std::runtime_error where the address is bad or taken.
void serve(simulator& what, const std::string& address,
           const std::function<void(const std::string&)>& ready);

}  // namespace scattergate::sim
