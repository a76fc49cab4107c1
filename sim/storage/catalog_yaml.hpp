#pragma once

#include <string>

#include "sim/storage/cluster.hpp"

namespace scattergate::sim {

/// The cluster's sharded collections as a catalog file, chunks included: what
/// `--print-catalog` writes and `scattergate run --catalog FILE` reads.
[[nodiscard]] std::string catalog_yaml(const cluster& of);

}  // namespace scattergate::sim
