#pragma once

#include "digest/row.hpp"
#include "fleet/database.hpp"
#include "fleet/flush_plan.hpp"

namespace scattergate::fleet {

/// Removes flush marks that have expired by `now`, the server's time, from a few of the
/// documents that a flush has written. The documents are chosen at random, so that repeated
/// flushes cover all of them. Ignores errors; a later flush retries.
void prune_marks(database& in, const flush_plan& of, const flush_place& at,
                 digest::wall_time now);

}  // namespace scattergate::fleet
