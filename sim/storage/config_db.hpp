#pragma once

#include <optional>
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

}  // namespace scattergate::sim
