#pragma once

#include <string>

#include "sim/storage/cluster.hpp"

namespace scattergate::sim {

/// The cluster's sharded collections as a catalog file with chunks: written by
/// `--print-catalog`, read by `scattergate run --catalog FILE`.
[[nodiscard]] std::string catalog_yaml(const cluster& of);

}  // namespace scattergate::sim
