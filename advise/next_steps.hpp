#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"

namespace scattergate::advise {

/// The mongosh commands that a user can run next, in order. scattergate only prints them. They
/// analyze `key` and, if `is_safe` and `key` isn't the present key, make it the shard key.
/// Omits commands that the server's `version` doesn't support. `name_space`: "db.collection";
/// without a dot, there are no commands. `present`: the present key; empty if the collection
/// isn't sharded. `is_safe`: the advice has no objection to `key` (candidate::is_safe).
[[nodiscard]] std::vector<std::string> next_steps(std::string_view name_space,
                                                  const std::optional<shard_key>& present,
                                                  const shard_key& key,
                                                  routing::server_version version,
                                                  bool is_safe);

}  // namespace scattergate::advise
