#pragma once

#include "advise/value_statistics.hpp"
#include "digest/sketches/sketch_pool.hpp"

namespace scattergate::advise {

/// A source of value statistics from a daemon's sketches (the option advise.sketch). It has no
/// statistics for fields of which one has no sketch. If several fields have no combined sketch,
/// it derives bounds from the sketches of single fields and pairs: a lower bound of the
/// cardinality, upper bounds of the shares. `from` must outlive the result.
[[nodiscard]] statistics_source statistics_in(const digest::sketch_pool& from);

/// A source of value statistics from one collection's sketches. It ignores the namespace that
/// it is asked for. If `from` is null, returns an empty function. `from` must outlive the
/// result.
[[nodiscard]] statistics_source statistics_in(const digest::collection_sketches* from);

}  // namespace scattergate::advise
