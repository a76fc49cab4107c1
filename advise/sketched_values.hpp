#pragma once

#include "advise/value_statistics.hpp"
#include "digest/sketches/sketch_pool.hpp"

namespace scattergate::advise {

/// Makes a source of value statistics from a daemon's sketches, which are bounded statistics
/// of hashed values (the option advise.sketch). The source returns std::nullopt if one of the
/// fields has no sketch. If several fields have no combined sketch, the source derives bounds
/// from the sketches of single fields and pairs: a lower bound of the cardinality, upper
/// bounds of the shares. `from` must outlive the result.
[[nodiscard]] statistics_source statistics_in(const digest::sketch_pool& from);

/// Makes a source of value statistics from one collection's sketches. The source ignores its
/// argument `name_space`. If `from` is null, returns an empty function. `from` must outlive
/// the result.
[[nodiscard]] statistics_source statistics_in(const digest::collection_sketches* from);

}  // namespace scattergate::advise
