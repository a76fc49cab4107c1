#pragma once

#include <string>

#include "sim/storage/cluster.hpp"

namespace scattergate::sim {

/// The cluster's sharded collections as a catalog file with chunks, which `scattergate run
/// --catalog FILE` reads. `--print-catalog` of the simulator prints it.
[[nodiscard]] std::string catalog_yaml(const cluster& of);

}  // namespace scattergate::sim
