#pragma once

#include "sim/targeting/filter_tree.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The filter by which mongos selects the shards for a pipeline: the `$match` at the
/// pipeline's beginning, after mongos has moved `$match` stages forward (mongo:
/// Pipeline::optimizeContainer, DocumentSource::pushMatchBefore). A filter without conditions
/// if the pipeline then begins with another stage. `terms`: the simulated version's rules, and
/// the variables that `$expr` may use. REQUIRES: check_stages(stages) succeeded.
[[nodiscard]] filter_node head_of(const array& stages, const filter_terms& terms);

/// The filter that the shards apply: the conjunction of the `$match` stages with which `stages`
/// begins, before any stage is moved. Empty if there are none.
[[nodiscard]] document leading_filter(const array& stages);

/// Whether the pipeline consists only of `$match`, `$sort`, `$skip`, `$limit` and `$project`,
/// so that a find could replace it.
[[nodiscard]] bool is_like_find(const array& stages);

}  // namespace scattergate::sim
