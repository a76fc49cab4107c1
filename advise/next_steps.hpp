#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"

namespace scattergate::advise {

/// What to run in mongosh to look at a key and then to have it, each only where this version
/// has it. Nothing of it is run here.
[[nodiscard]] std::vector<std::string> next_steps(std::string_view name_space,
                                                  const std::optional<shard_key>& present,
                                                  const shard_key& key,
                                                  routing::server_version version);

}  // namespace scattergate::advise
