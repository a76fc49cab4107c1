#pragma once

#include <string>

#include "sim/storage/cluster.hpp"

namespace scattergate::sim {

/// Writes the cluster's sharded collections, with their chunks, as a catalog file (YAML), which
/// `scattergate run --catalog FILE` reads. The simulator prints it for `--print-catalog`.
[[nodiscard]] std::string catalog_yaml(const cluster& of);

}  // namespace scattergate::sim
