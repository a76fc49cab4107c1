#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/storage/cluster.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The documents of config.collections, config.chunks, config.shards, config.databases or
/// config.version, in the format of the simulated version. `ns`: the namespace of one of these
/// collections; returns std::nullopt for any other namespace.
[[nodiscard]] std::optional<std::vector<document>> config_collection(const cluster& from,
                                                                     std::string_view ns);

/// Writes the cluster's sharded collections, with their chunks, as a catalog file (YAML), which
/// `scattergate run --catalog FILE` reads. The simulator prints it for `--print-catalog`.
[[nodiscard]] std::string catalog_yaml(const cluster& of);

}  // namespace scattergate::sim
