#pragma once

#include "advise/value_statistics.hpp"
#include "digest/sketches/sketch_pool.hpp"

namespace scattergate::advise {

/// A source of value statistics from a daemon's sketches (advise.sketch). For fields without a
/// combined sketch, it derives bounds from sketches of some of them: a lower bound of the
/// cardinality, upper bounds of the shares. `from` must outlive the result.
[[nodiscard]] statistics_source statistics_in(const digest::sketch_pool& from);

/// A source of value statistics from one collection's sketches, for any namespace. Null: the
/// source has none. `from` must outlive the result.
[[nodiscard]] statistics_source statistics_in(const digest::collection_sketches* from);

}  // namespace scattergate::advise
