#pragma once

#include "advise/value_statistics.hpp"
#include "digest/sketches/sketch_set.hpp"

namespace scattergate::advise {

/// Makes a function that returns statistics of a collection's field values, from a daemon's
/// sketches. Sketches are bounded statistics of hashed values (the option advise.sketch). The
/// function returns std::nullopt if one of the fields has no sketch. For several fields, it
/// derives bounds from the sketches of single fields and pairs: a lower bound of the
/// cardinality, and upper bounds of the shares. `from` must outlive the result.
[[nodiscard]] statistics_source statistics_in(const digest::sketch_pool& from);

/// Makes a function that returns statistics of field values, from the sketches (statistics of
/// hashed values) of one collection. The function ignores its argument `name_space`. If `from`
/// is null, returns an empty function. `from` must outlive the result.
[[nodiscard]] statistics_source statistics_in(const digest::collection_sketches* from);

}  // namespace scattergate::advise
