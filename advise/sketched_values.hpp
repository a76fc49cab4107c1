#pragma once

#include "advise/value_statistics.hpp"
#include "digest/sketches/sketch_pool.hpp"

namespace scattergate::advise {

/// The statistics that a daemon's sketches have (advise.sketch). Of fields that have no sketch
/// together, those of the best known part: at least as many values, and shares at most as
/// large. `from` must outlive the result.
[[nodiscard]] statistics_source statistics_in(const digest::sketch_pool& from);

/// Of one collection, whatever its name. Null: none.
[[nodiscard]] statistics_source statistics_in(const digest::collection_sketches* from);

}  // namespace scattergate::advise
