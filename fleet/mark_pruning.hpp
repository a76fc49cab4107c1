#pragma once

#include "digest/row.hpp"
#include "fleet/database.hpp"
#include "fleet/flush_plan.hpp"

namespace scattergate::fleet {

/// Removes expired marks from a few documents of the collection `shapes`. A mark records in a
/// document that a flush has counted there. Chooses the documents at random among those that
/// the flush `of` has written to the logical shard in `at`, so that repeated calls cover all of
/// them. `now`: the server's time. Ignores errors; a later flush retries.
void prune_marks(database& db, const flush_plan& of, const flush_place& at,
                 digest::wall_time now);

}  // namespace scattergate::fleet
