#pragma once

#include "routing/catalog.hpp"
#include "wire/message_digest.hpp"

namespace scattergate::routing {

/// What a digest of the command that begins like this may leave out, so that classify() and
/// the shape come out the same: of new documents all but the top-level fields that the shard
/// keys of the collections of this name begin with, whichever their database, and `_id`, which
/// mongos adds where it is missing; of updates, what neither touches these nor shows in a
/// shape.
///
/// Names of fields longer than wire::message_digest::abridged_bytes that stand as values in an
/// update ($rename, $unset, "$path") are cut.
[[nodiscard]] wire::digest_rules digest_rules_for(const wire::command_start& start,
                                                  const catalog& known);

}  // namespace scattergate::routing
