#pragma once

#include "digest/row.hpp"
#include "fleet/database.hpp"
#include "fleet/flush_plan.hpp"

namespace scattergate::fleet {

/// Removes expired flush marks from a few of the collection `shapes`' documents that the flush
/// `of` has written to the logical shard in `at`. Chooses the documents at random, so that
/// repeated flushes cover all of them. `now`: the server's time. Ignores errors; a later flush
/// retries.
void prune_marks(database& db, const flush_plan& of, const flush_place& at,
                 digest::wall_time now);

}  // namespace scattergate::fleet
