#pragma once

#include "digest/row.hpp"
#include "fleet/database.hpp"
#include "fleet/flush_plan.hpp"

namespace scattergate::fleet {

/// Removes marks of sidecars that have not written since `older_than` from a few of the
/// documents that the flush has written, chosen at random. Each flush does some, so that all
/// documents are looked at over time. What fails is left to a later flush.
void prune_marks(database& in, const flush_plan& of, const flush_place& at,
                 digest::wall_time older_than);

}  // namespace scattergate::fleet
