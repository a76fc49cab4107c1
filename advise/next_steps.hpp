#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"

namespace scattergate::advise {

/// The mongosh commands to analyze a key and then to apply it, as far as this server version
/// has them. Only printed, never run.
[[nodiscard]] std::vector<std::string> next_steps(std::string_view name_space,
                                                  const std::optional<shard_key>& present,
                                                  const shard_key& key,
                                                  routing::server_version version);

}  // namespace scattergate::advise
