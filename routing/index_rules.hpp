#pragma once

#include "routing/catalog.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// Whether a createIndexes asks for a unique index that mongos will refuse: one that neither
/// begins with the whole shard key nor is on _id alone (mongo: ShardKeyPattern,
/// isIndexUniquenessCompatible).
[[nodiscard]] bool asks_for_impossible_index(const wire::command& command,
                                             const collection& on) noexcept;

}  // namespace scattergate::routing
