#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"

namespace scattergate::advise {

/// The mongosh commands that analyze a key and, if it is safe, apply it, limited to those that
/// this server version has. They are only printed, never run.
[[nodiscard]] std::vector<std::string> next_steps(std::string_view name_space,
                                                  const std::optional<shard_key>& present,
                                                  const shard_key& key,
                                                  routing::server_version version,
                                                  bool is_safe);

}  // namespace scattergate::advise
